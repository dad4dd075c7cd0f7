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

// "pk (N)" for {"pk": {"N": "1"}}, of at most six attributes; empty for what is no object. With
// `only` not empty of these attributes alone.
std::string given_text(const JsonNode* attributes, std::span<const std::string_view> only = {});
// The first key attribute that is missing or of another type, or else the first attribute. Empty:
// there are none. REQUIRES: an object.
std::string first_misfit(const Table& table, const JsonNode& attributes);
// "N" for {"N": "1"}; empty: it has none.
std::string_view type_given(const JsonNode& value);

// The attributes that `member` of the body of a Query or a Scan, a condition, compares to be equal
// to something in every item that it lets through. Empty: none, or it cannot be read.
std::vector<std::string> equal_attributes(const JsonNode& body, std::string_view member);

// The choice whose partition keys are all among the attributes; nullptr: none is.
const KeyChoice* choice_for(std::span<const KeyChoice> choices,
                            std::span<const std::string> attributes);

}  // namespace stator
