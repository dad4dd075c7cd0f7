// SET and REMOVE to the tree of updates (protocol/expression/ast.h).
#pragma once

#include <span>

#include "protocol/expression/ast.h"
#include "protocol/partiql/operands.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"

namespace stator::partiql {

// Every error that needs no stored data.
Result<const expr::Update*> lower_changes(std::span<const Change> changes, const Scope& scope);

}  // namespace stator::partiql
