// The element Condition: {operator: {key: value or list of values}}.
#include <utility>

#include "protocol/access/statement_reader.h"

namespace stator::access {
namespace {

using Kind = JsonNode::Kind;
using Fault = std::optional<StatementFault>;

StatementFault condition_fault(std::string_view place, std::string_view text) {
  std::string where = "Condition";
  if (!place.empty()) where.append(".").append(place);
  return {std::string(text), std::move(where)};
}

// The text of a scalar; empty for other nodes.
std::optional<std::string_view> text_of_scalar(const JsonNode& node) {
  switch (node.kind()) {
    case Kind::True:
      return "true";
    case Kind::False:
      return "false";
    case Kind::String:
    case Kind::Integer:
    case Kind::Decimal:
      return node.text();
    default:
      return std::nullopt;
  }
}

Fault read_condition(const JsonMember& key, std::string_view place, const StatementRules& rules,
                     Condition& condition) {
  condition.key = key.name;
  const auto values = values_in(key.value);
  if (key.name.empty() || values.empty())
    return condition_fault(place, "has a key without a name or without values");
  for (const JsonNode& value : values) {
    const auto text = text_of_scalar(value);
    if (!text) return condition_fault(place, "must have strings, numbers or booleans as values");
    auto read = read_condition_value(condition.op, *text, rules.has_variables);
    if (!read) {
      return condition_fault(
          place, std::string("\"").append(*text).append("\" is not ").append(read.error()));
    }
    condition.values.push_back(*std::move(read));
    condition.sources.emplace_back(*text);
  }
  return std::nullopt;
}

}  // namespace

std::optional<StatementFault> read_conditions(const JsonNode& node, const StatementRules& rules,
                                              Statement& statement) {
  if (node.kind() != Kind::Object) return condition_fault({}, "must be an object");
  if (const auto twice = repeated_member(node)) return condition_fault(*twice, "is there twice");
  for (const JsonMember& group : node.members()) {
    const auto op = find_operator(group.name);
    if (!op) return condition_fault(group.name, "is no operator");
    if (group.value.kind() != Kind::Object || group.value.members().empty())
      return condition_fault(group.name, "must be an object with keys");
    if (repeated_member(group.value)) return condition_fault(group.name, "has a key twice");
    for (const JsonMember& key : group.value.members()) {
      Condition condition{std::string(group.name), *op, {}, {}, {}};
      const std::string place = std::string(group.name).append(".").append(key.name);
      if (auto fault = read_condition(key, place, rules, condition)) return fault;
      statement.conditions.push_back(std::move(condition));
    }
  }
  return std::nullopt;
}

}  // namespace stator::access
