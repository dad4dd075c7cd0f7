// A record of a stream as a line: for a terminal, or as JSON.
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"

namespace stator::client {

enum class ChangeFormat : std::uint8_t {
  Auto,         // Text on a terminal, else Json
  Text,         // "07:30:12 MODIFY pk=a sk=1: n 1 -> 2"
  Json,         // {"event":"MODIFY","time":…,"keys":{…},"old":{…},"new":{…}}, plain JSON
  DynamodbJson  // the record as the service sent it
};

// Returns the line without its end. `record`: an element of GetRecords' Records. The error is for
// people. REQUIRES: the format is not Auto.
tl::expected<std::string, std::string> change_line(const JsonNode& record, ChangeFormat format);

}  // namespace stator::client
