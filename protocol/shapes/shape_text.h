// The text that shows a request's value in the message of a violated constraint.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/json/json_tree.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Limit for the text of one value, so that a response is not many times as long as its request.
inline constexpr std::size_t kShownBytesMax = std::size_t{128} << 10;

// Appends the value as the service's Java prints it, in whole characters up to kShownBytesMax.
// REQUIRES: check_types passed.
void append_printed(std::string& out, const JsonNode& node, const TypeSpec& type);

// Appends the value's JSON as in the request, without blanks, up to about kShownBytesMax before
// escaping.
void append_json(std::string& out, const JsonNode& node);

}  // namespace stator
