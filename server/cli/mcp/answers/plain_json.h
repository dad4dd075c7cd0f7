// Items as plain JSON, without loss of a number's digits.
#pragma once

#include <string>
#include <string_view>

#include "protocol/json/json_tree.h"

namespace stator::mcp {

// Appends an attribute value such as {"N":"7"} as plain JSON: 7. Sets become arrays, binary stays
// Base64. A number that a double does not hold becomes a string. A node that is no attribute value
// is appended as it is.
void append_plain(std::string& out, const JsonNode& value);

// Appends the members of an item so.
void append_plain_attributes(std::string& out, const JsonNode& item);

// Whether the text is a number of JSON which a reader with doubles restores digit by digit.
bool is_exact_number(std::string_view text);

}  // namespace stator::mcp
