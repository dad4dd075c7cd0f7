// Writes JSON trees as text, and converts between plain JSON and DynamoDB JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_tree.h"
#include "protocol/values/value.h"

namespace stator::data {

// The member if it is of this kind, else nullptr.
const JsonNode* member_in(const JsonNode& object, std::string_view name, JsonNode::Kind kind);
// Whether the member is true.
bool is_true(const JsonNode& object, std::string_view name);
// The member's text; empty if it is no string.
std::string_view text_in(const JsonNode& object, std::string_view name);
// The member's number as text, from a number or from a string that contains one.
std::string_view number_text_in(const JsonNode& object, std::string_view name);

// That number, if it is whole; 0 without it.
std::uint64_t count_in(const JsonNode& object, std::string_view name);

// Appends a plain JSON value as an attribute value: 1 becomes {"N":"1"}.
void append_typed_value(std::string& out, const JsonNode& node);

// Appends plain JSON as attribute values: {"a":1} becomes {"a":{"N":"1"}}. Writes the members of
// the top object without {"M":…} around them.
void append_typed_item(std::string& out, const JsonNode& object);

// Whether every member is an attribute value with its type, as in {"a":{"S":"x"}}. False without
// members.
bool is_typed_item(const JsonNode& node);

// Appends {"Item":{…}}, a line of an export without its line break.
void append_item_line(std::string& out, Item item);

// Counts values for which plain JSON has no type.
struct PlainLosses {
  std::size_t sets = 0;      // become arrays
  std::size_t binaries = 0;  // become strings of Base64
};
// Appends an item as plain JSON; numbers retain all digits.
void append_plain_item(std::string& out, Item item, PlainLosses& losses);
void append_plain_value(std::string& out, const Value& value, PlainLosses& losses);

// Appends a value as a CSV cell: the DynamoDB JSON after its type, such as ["a","b"] for SS;
// strings and numbers without quotes.
void append_cell(std::string& out, const Value& value);
// The reverse: appends {"SS":["a","b"]}. Does not check the text; reading it as JSON reports
// errors.
void append_value_of_cell(std::string& out, std::string_view type, std::string_view cell);

}  // namespace stator::data
