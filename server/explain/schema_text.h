// Keys of tables and indexes in words, for hints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "protocol/json_tree.h"

namespace stator {

// "pk (S) and sk (N)"
std::string key_text(std::span<const KeyAttribute> partition_keys,
                     std::span<const KeyAttribute> sort_keys);
std::string key_text(const Table& table);

// One way to query a table: by its own key, or by that of an index.
struct KeyChoice {
  std::string_view index_name;  // empty: the table itself
  std::span<const KeyAttribute> partition_keys;
  std::span<const KeyAttribute> sort_keys;
};
// The table first. Views of the table.
std::vector<KeyChoice> key_choices(const Table& table);
// "The table's key is pk (S); index by_mail: mail (S)"
std::string key_choices_text(const Table& table);

// The attributes that `member` of the body of a Query or a Scan, a condition, compares to be equal
// to something in every item that it lets through. Empty: none, or it cannot be read.
std::vector<std::string> equal_attributes(const JsonNode& body, std::string_view member);

// The choice whose partition keys are all among the attributes; nullptr: none is.
const KeyChoice* choice_for(std::span<const KeyChoice> choices,
                            std::span<const std::string> attributes);

}  // namespace stator
