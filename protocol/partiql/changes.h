// Converts SET and REMOVE to the update tree (protocol/expression/syntax/ast.h).
#pragma once

#include <span>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/partiql/operands.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

// Reports every error that needs no stored data.
Result<const expr::Update*> lower_changes(std::span<const Change> changes, const Scope& scope);

}  // namespace stator::partiql
