// Shared by the legacy parameters (legacy_conditions.h, legacy_updates.h), which are maps from the
// name of a whole attribute to a condition or an action.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/expression/syntax/ast.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

// The members of an object in the order of the text, without those that a later member of the same
// name replaces.
std::vector<const JsonMember*> effective_members(const JsonNode& object);

// The path of a whole attribute; a dot in its name is part of it.
Path whole_attribute(std::string_view name, Arena& arena);

}  // namespace stator::expr
