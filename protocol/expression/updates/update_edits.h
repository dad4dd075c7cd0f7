// Edits: values to put into or remove from an item; the result of evaluating an update
// (update_application.cpp).
#pragma once

#include <optional>
#include <span>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::expr {

// The value after the update; empty removes the target.
struct Edit {
  Path target;
  std::optional<Value> value;
};
using Edits = std::span<const Edit>;

// `before` with the edits applied. REQUIRES: edits are in the order of their targets; no two
// overlap and none is in a run. `exists`: whether the item exists.
Result<Item> rebuild(Item before, Edits edits, bool exists, Arena& arena);

}  // namespace stator::expr
