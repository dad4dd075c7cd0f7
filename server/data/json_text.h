// Trees of JSON as text: as they are, and between plain JSON and DynamoDB's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/json_tree.h"
#include "protocol/value.h"

namespace stator::data {

// The member's text, empty when it is no String.
std::string_view text_in(const JsonNode& object, std::string_view name);
// The same of a number, as it was written, or of a String that holds one.
std::string_view number_text_in(const JsonNode& object, std::string_view name);

// Appends the tree as it was read, without white space.
void append_node_json(std::string& out, const JsonNode& node);

// Appends what plain JSON says as attribute values: {"a":1} as {"a":{"N":"1"}}. At the top the
// members of an object, without {"M":…} around them.
void append_typed_item(std::string& out, const JsonNode& object);

// Whether every member of `node` is written as an attribute value: {"a":{"S":"x"}}. False without
// members.
bool is_typed_item(const JsonNode& node);

// What plain JSON has no type for, counted.
struct PlainLosses {
  std::size_t sets = 0;      // become arrays
  std::size_t binaries = 0;  // become strings of Base64
};
// Appends an item as plain JSON; numbers keep all their digits.
void append_plain_item(std::string& out, Item item, PlainLosses& losses);

// Whole text to a tree: DynamoDB JSON of one value as a cell of a table has it, the JSON behind its
// type, such as ["a","b"] of SS; strings and numbers without quotes.
void append_cell(std::string& out, const Value& value);
// The same back, as {"SS":["a","b"]}. The text is whatever stood there: what is no JSON shows when
// it is read.
void append_value_of_cell(std::string& out, std::string_view type, std::string_view cell);

}  // namespace stator::data
