// Converts WHERE to the tree of conditions and filters (protocol/expression/syntax/ast.h), adding
// what PartiQL implies: `<>` is false for a missing attribute, and tests are values.
#pragma once

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/partiql/operands.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

// Reports every error that needs no stored data.
Result<expr::Condition*> lower_condition(const Node& node, const Scope& scope);

// left AND right; nullptr means no condition.
expr::Condition* both(expr::Condition* left, expr::Condition* right, Arena& arena);
expr::Condition* either(expr::Condition* left, expr::Condition* right, Arena& arena);
// attribute_exists(name), or attribute_not_exists(name).
expr::Condition* existence(std::string_view name, bool exists, Arena& arena);

}  // namespace stator::partiql
