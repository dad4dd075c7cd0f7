// JsonForm: where in the objects of a file its items are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/json_tree.h"

namespace stator::data {

struct JsonForm {
  enum class Kind : std::uint8_t {
    Item,      // each object is an item
    Answer,    // output of scan or query
    Answers,   // output of batch-get-item
    Requests,  // input of batch-write-item
    List,      // any other object with a list of objects, {"users":[…]}
  };
  Kind kind = Kind::Item;
  // The member that has the items; empty if the object itself has a list for each table.
  std::string member;
  bool has_tables = false;  // a list for each table, not one list
  std::string table;        // of several the one whose items count; empty: there must be one
};

// For the first object of a file. An object that has all `keys` is an item, whatever else it has.
// `table` is the one that the items are for.
JsonForm form_of(const JsonNode& sample, const std::vector<std::string>& keys,
                 std::string_view table);

// "output of scan or query"; empty for Item.
std::string form_text(const JsonForm& form);

}  // namespace stator::data
