// Evaluates nodes of a statement with the request's parameters: to values, document paths, and
// operands of the trees that all expressions share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/tree.h"
#include "protocol/values/value.h"

namespace stator::partiql {

// The input of lowering. Results refer to the arena and to the parameters' values, never to the
// statement.
struct Scope {
  std::span<const Value> parameters;
  Arena& arena;
};

// The value of a literal or a parameter. Errors if the node is neither, or not a valid value; they
// name the position inside the literal.
Result<Value> lower_value(const Node& node, const Scope& scope);
// The attributes of an item, each validated on its own. REQUIRES: `node` is a Map.
Result<Item> lower_item(const Node& node, const Scope& scope);

// The path of names and list indexes. REQUIRES: `node` is a Path.
Result<expr::Path> lower_path(const Node& node, const Scope& scope);

// A path, a value, or a function that returns a value in conditions: size().
Result<expr::Operand> lower_operand(const Node& node, const Scope& scope);

// The function of this name in any letter case; Unknown if none.
expr::Function find_function(std::string_view name);

Error unrecognized_function(const Node& call);
Error unexpected_path_component(Position at);

}  // namespace stator::partiql
