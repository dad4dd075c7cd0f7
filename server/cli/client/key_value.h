// Values of a user's words and plain JSON, typed by a table's key schema.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/data/transfer/table_info.h"

namespace stator::client {

struct KeyAttribute {
  std::string name;
  std::string type;  // S, N or B
};

// Returns the word as an attribute value such as {"N":"7"}; a word for B is Base64. The digits of a
// number stay as they are. The error names the key and its type.
tl::expected<std::string, std::string> key_value(const KeyAttribute& key, std::string_view word);

// Returns a plain JSON object as an item in DynamoDB JSON. Strings of Base64 become binary where
// the table's keys are. The error names a key of the table whose value has another type.
tl::expected<std::string, std::string> plain_item(const JsonNode& object,
                                                  const data::TableInfo& table);

}  // namespace stator::client
