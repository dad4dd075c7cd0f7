// Keys of tables and indexes as text, for hints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "protocol/json/json_tree.h"

namespace stator {

// "pk (S) and sk (N)"
std::string key_text(std::span<const KeyAttribute> partition_keys,
                     std::span<const KeyAttribute> sort_keys);
std::string key_text(const Table& table);

// A key that a Query can use: the table's, or an index's.
struct KeyChoice {
  std::string_view index_name;  // empty: the table itself
  std::span<const KeyAttribute> partition_keys;
  std::span<const KeyAttribute> sort_keys;
};
// All keys, the table's first. Views of the table.
std::vector<KeyChoice> key_choices(const Table& table);
// "The table's key is pk (S); index by_mail: mail (S)"
std::string key_choices_text(const Table& table);

// "pk (N)" for {"pk": {"N": "1"}}, of at most six attributes; empty if it is no object. If `only`
// is not empty, of these attributes alone.
std::string given_text(const JsonNode* attributes, std::span<const std::string_view> only = {});
// The first key attribute that is missing or has another type, else the first attribute; empty if
// there are none. REQUIRES: an object.
std::string first_misfit(const Table& table, const JsonNode& attributes);
// "N" for {"N": "1"}; empty if it has no type.
std::string_view type_given(const JsonNode& value);

// Attributes that the condition in `member` of a Query or Scan requires to equal something in every
// matching item. Empty if there are none or the condition is invalid.
std::vector<std::string> equal_attributes(const JsonNode& body, std::string_view member);

// The first choice whose partition keys are all among the attributes; nullptr if none.
const KeyChoice* choice_for(std::span<const KeyChoice> choices,
                            std::span<const std::string> attributes);

}  // namespace stator
