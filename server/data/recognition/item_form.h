// ItemForm: an object that has an item in it, such as {"PutRequest":{"Item":{…}}}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/json_tree.h"

namespace stator::data {

struct ItemForm {
  JsonNode item;           // the object itself if nothing is around the item
  bool is_delete = false;  // `item` is the key of an item to delete
  std::string_view what;   // "input of put-item"; empty for an item, also in {"Item":{…}}
  std::string problem;     // why the object has no item to write
};

// An object that has all `keys` is an item, whatever else it has.
ItemForm item_form_of(const JsonNode& object, const std::vector<std::string>& keys);

// Whether the object describes a table, as the first line of a dump of dyno does.
bool is_table_description(const JsonNode& object, const std::vector<std::string>& keys);

// Whether the object has all keys of the table; false if none is known.
bool has_keys(const JsonNode& object, const std::vector<std::string>& keys);

}  // namespace stator::data
