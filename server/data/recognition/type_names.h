// Names of types as exports of Data Pipeline and EMR have them: {"s":"x"}, {"sS":["a"]},
// {"nULLValue":true}.
#pragma once

#include <string>
#include <vector>

#include "protocol/json/json_tree.h"

namespace stator::data {

// Whether all attributes are values with such a type. An item of plain JSON may be like that too,
// but for its keys, which are no objects: so `keys` must be known.
bool has_small_types(const JsonNode& object, const std::vector<std::string>& keys);

// Appends the item with the types' own names; leaves what is no such value as it is.
void append_with_types(std::string& out, const JsonNode& object);

}  // namespace stator::data
