// Writes JSON trees as text.
#pragma once

#include <string>

#include "protocol/json/json_tree.h"

namespace stator {

// Appends the tree unchanged, without white space.
void append_node_json(std::string& out, const JsonNode& node);

}  // namespace stator
