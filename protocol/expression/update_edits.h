// What an update comes to (update_application.cpp): values that are put in places of an item, or
// taken away there.
#pragma once

#include <optional>
#include <span>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator::expr {

// The value after the update, or nothing.
struct Edit {
  Path target;
  std::optional<Value> value;
};
using Edits = std::span<const Edit>;

// `before` after the edits, which are in the order of their targets: no two of these overlap, and
// none is in a run. `exists`: whether the item does.
Result<Item> rebuild(Item before, Edits edits, bool exists, Arena& arena);

}  // namespace stator::expr
