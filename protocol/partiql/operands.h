// What nodes of a statement come to with the request's parameters: values, document paths, operands
// of the trees that all expressions share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator::partiql {

// What a statement is lowered with. Everything made refers to the arena and to the parameters'
// values, and to nothing of the statement.
struct Scope {
  std::span<const Value> parameters;
  Arena& arena;
};

// A literal or a parameter. Errors: it is neither, or no value of the service's; they name the
// place inside the literal.
Result<Value> lower_value(const Node& node, const Scope& scope);
// The attributes of an item, which are values of their own. REQUIRES: a Map.
Result<Item> lower_item(const Node& node, const Scope& scope);

// Names and indexes of list elements. REQUIRES: a Path.
Result<expr::Path> lower_path(const Node& node, const Scope& scope);

// A path, a value or a function that has a value in conditions: size().
Result<expr::Operand> lower_operand(const Node& node, const Scope& scope);

// The function of that name, in any letter case; Unknown: there is none.
expr::Function find_function(std::string_view name);
// As messages name it.
std::string_view function_name(expr::Function function);
std::string lower_case(std::string_view text);

Error unrecognized_function(const Node& call);
Error unexpected_path_component(Position at);

}  // namespace stator::partiql
