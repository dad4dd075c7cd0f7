// Tests of one scalar of a record, and reading their operands. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/json/json_tree.h"
#include "streams/filters/filter_tree.h"

namespace stator::filters {

// Whether the scalar passes. Exists does, and Absent does not. REQUIRES: no array and no object.
bool passes(const LeafTest& test, const JsonNode& scalar);

// The ordered bytes of a JSON number; empty if it is outside the range of DynamoDB's numbers.
std::optional<std::string> ordered_number(std::string_view text);

// A to Z become a to z. Other letters stay: their case counts.
std::string ascii_lower(std::string_view text);

// Whether the text is a wildcard pattern: no two stars in a row, and a backslash stands before a
// star or a backslash.
bool is_wildcard(std::string_view text);

// ADDRESS/BITS; empty if the text is none.
std::optional<AddressBlock> parse_block(std::string_view text);

}  // namespace stator::filters
