// The names of functions in expressions and statements.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "protocol/expression/syntax/ast.h"

namespace stator::expr {

// In the order in which messages list them.
inline constexpr std::array<std::pair<std::string_view, Function>, 8> kFunctionNames = {{
    {"attribute_exists", Function::AttributeExists},
    {"attribute_not_exists", Function::AttributeNotExists},
    {"attribute_type", Function::AttributeType},
    {"begins_with", Function::BeginsWith},
    {"contains", Function::Contains},
    {"size", Function::Size},
    {"if_not_exists", Function::IfNotExists},
    {"list_append", Function::ListAppend},
}};

// Unknown if no function has this name.
constexpr Function find_function(std::string_view name) {
  for (const auto& [known, function] : kFunctionNames) {
    if (known == name) return function;
  }
  return Function::Unknown;
}

// Empty for Unknown.
constexpr std::string_view function_name(Function function) {
  for (const auto& [name, known] : kFunctionNames) {
    if (known == function) return name;
  }
  return {};
}

}  // namespace stator::expr
