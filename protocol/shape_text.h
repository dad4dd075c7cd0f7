// What a request's value looks like in the text of a violated constraint.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/json_tree.h"
#include "protocol/shape.h"

namespace stator {

// What is shown of one value at most: an answer should not be many times as long as its request.
inline constexpr std::size_t kShownBytesMax = std::size_t{128} << 10;

// The value as the service's Java prints it, in whole characters up to kShownBytesMax.
// REQUIRES: check_types passed.
void append_printed(std::string& out, const JsonNode& node, const TypeSpec& type);

// As in the request, without blanks, up to about the same size before it is escaped.
void append_json(std::string& out, const JsonNode& node);

}  // namespace stator
