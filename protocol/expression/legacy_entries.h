// What the legacy parameters (legacy_conditions.h, legacy_updates.h) share: they are maps from the
// name of a whole attribute to what is asked of it.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/json_tree.h"

namespace stator::expr {

// The members of an object in the order of the text, without those that a later one of the same
// name replaces.
std::vector<const JsonMember*> effective_members(const JsonNode& object);

// The path of one attribute; a dot in its name is part of it.
Path whole_attribute(std::string_view name, Arena& arena);

}  // namespace stator::expr
