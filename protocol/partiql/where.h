// WHERE to the tree that conditions and filters have (protocol/expression/ast.h), with what the
// language means by it: an attribute that is missing makes `<>` false, tests have values.
#pragma once

#include "protocol/expression/ast.h"
#include "protocol/partiql/operands.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"

namespace stator::partiql {

// Every error that needs no stored data.
Result<expr::Condition*> lower_condition(const Node& node, const Scope& scope);

// left AND right; either may be nullptr: nothing is asked.
expr::Condition* both(expr::Condition* left, expr::Condition* right, Arena& arena);
expr::Condition* either(expr::Condition* left, expr::Condition* right, Arena& arena);
// attribute_exists(name), or attribute_not_exists(name).
expr::Condition* existence(std::string_view name, bool exists, Arena& arena);

}  // namespace stator::partiql
