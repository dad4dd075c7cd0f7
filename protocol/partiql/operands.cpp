#include "protocol/partiql/operands.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/errors/rule.h"
#include "protocol/expression/syntax/function_names.h"
#include "protocol/service/limits.h"
#include "protocol/text/ascii_case.h"

namespace stator::partiql {
namespace {

constexpr std::uint64_t kListIndexMax = 2'147'483'647;

using expr::Function;

Result<std::uint64_t> lower_index(const Step& step) {
  const Node& node = *step.index;
  if (node.kind != Node::Kind::Number) return unexpected_path_component(node.at);
  const std::string_view text = node.text;
  if (text.find_first_not_of("0123456789") != std::string_view::npos)
    return unexpected_path_component(node.at);
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  static_cast<void>(end);
  const bool is_below = node.is_negative && index != 0;
  if (error == std::errc() && index <= kListIndexMax && !is_below) return index;
  const std::string shown = std::string("[")
                                .append(node.is_negative ? "-" : "")
                                .append(text)
                                .append("] at ")
                                .append(position_text(node.at));
  return Error::validation("List index is not within the allowable range; index: " + shown)
      .with_rule(Rule::ListIndex, {shown});
}

}  // namespace

expr::Function find_function(std::string_view name) {
  const Function function = expr::find_function(lower_case(name));
  return function == Function::IfNotExists ? Function::Unknown : function;
}

Error unrecognized_function(const Node& call) {
  return Error::validation(std::string("Unrecognized function: ")
                               .append(call.text)
                               .append(" at ")
                               .append(position_text(call.at)));
}

Error unexpected_path_component(Position at) {
  return Error::validation("Unexpected path component at " + position_text(at));
}

Result<expr::Path> lower_path(const Node& node, const Scope& scope) {
  const auto path = scope.arena.allocate_array<expr::PathElement>(node.steps.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Step& step = node.steps[i];
    path[i] = {};
    switch (step.kind) {
      case Step::Kind::Star:
        return unexpected_path_component(step.at);
      case Step::Kind::Name:
        if (step.name.empty()) return Error::validation("Path component cannot be an empty string");
        path[i].name = scope.arena.copy(step.name);
        path[i].text = path[i].name;
        break;
      case Step::Kind::Index: {
        STATOR_TRY(path[i].index, lower_index(step));
        path[i].is_index = true;
        break;
      }
    }
  }
  if (path.size() > limits::kValueDepthMax) {
    return Error::validation("The document path has too many nesting levels; nesting levels: " +
                             std::to_string(path.size()));
  }
  return path;
}

Result<expr::Operand> lower_operand(const Node& node, const Scope& scope) {
  expr::Operand operand;
  if (node.kind == Node::Kind::Path) {
    STATOR_TRY(operand.path, lower_path(node, scope));
    return operand;
  }
  if (node.kind == Node::Kind::Operation) {
    return Error::validation(std::string("Unsupported operation: ")
                                 .append(node.children.size() == 1 ? "Negate" : "Arithmetic"));
  }
  if (node.kind == Node::Kind::Call) {
    const Function function = find_function(node.text);
    if (function != Function::Size) return unrecognized_function(node);
    const auto arguments = scope.arena.allocate_array<expr::Operand>(node.children.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      STATOR_TRY(arguments[i], lower_operand(*node.children[i], scope));
    }
    operand.kind = expr::Operand::Kind::Computed;
    operand.call = scope.arena.make<expr::Call>(function, function_name(function), arguments);
    return operand;
  }
  operand.kind = expr::Operand::Kind::Constant;
  STATOR_TRY(operand.value, lower_value(node, scope));
  return operand;
}

}  // namespace stator::partiql
