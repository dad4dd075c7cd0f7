// Conditions: Fn::If, Equals, And, Or, Not, and {"Condition": name}.
#include "server/templates/intrinsics/evaluator.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {

tl::expected<bool, Mistake> Evaluator::condition(std::string_view name, Spot spot) {
  if (!conditions_) conditions_ = index_of("Conditions");
  const auto [known, is_new] = known_conditions_.try_emplace(std::string(name));
  if (!is_new) {
    if (known->second) return *known->second;
    return fail(spot, compose({"condition ", name, " depends on itself"}));
  }
  const auto found = conditions_->find(name);
  if (found == conditions_->end()) {
    known_conditions_.erase(known);
    return fail(spot, compose({"there is no condition ", name}));
  }
  auto result = evaluate_condition(*found->second);
  // Evaluation may have added others, so `known` may be stale.
  if (result) {
    known_conditions_[std::string(name)] = *result;
  } else {
    known_conditions_.erase(std::string(name));
  }
  return result;
}

tl::expected<bool, Mistake> Evaluator::evaluate_condition(const Node& node) {
  if (node.members().size() == 1 && node.members().front().name == "Condition") {
    const Node& name = node.members().front().value;
    if (*depth_ >= 250) return fail(node.spot(), "conditions are nested too deeply");
    ++*depth_;
    auto result = condition(name.text(), name.spot());
    --*depth_;
    return result;
  }
  const auto resolved = resolve(node);
  if (!resolved) return tl::unexpected(resolved.error());
  if (const auto is_true = boolean_of(*resolved)) return *is_true;
  return fail(node.spot(), "a condition is Fn::Equals, And, Or, Not or Condition");
}

Resolution Evaluator::choose(const Node& argument, Spot spot) {
  const auto parts = argument.elements();
  if (parts.size() != 3 || !parts[0].is_scalar())
    return fail(spot, "Fn::If has a condition's name and two values");
  auto name = resolve_scalar(parts[0]);
  if (!name) return name;
  const auto is_true = condition(name->text(), parts[0].spot());
  if (!is_true) return tl::unexpected(is_true.error());
  return parts[*is_true ? 1 : 2];
}

Resolution Evaluator::equals(const Node& argument, Spot spot) {
  if (argument.elements().size() != 2) return fail(spot, "Fn::Equals has two values");
  auto first = resolve(argument.elements()[0]);
  if (!first) return first;
  auto second = resolve(argument.elements()[1]);
  if (!second) return second;
  if (first->is_scalar() && second->is_scalar())
    return truth(first->text() == second->text(), spot);
  std::string one;
  std::string other;
  append_json(one, *first);
  append_json(other, *second);
  return truth(one == other, spot);
}

Resolution Evaluator::all_of(const Node& argument, Spot spot) {
  return combine(argument, spot, /*stops_at=*/false);
}

Resolution Evaluator::any_of(const Node& argument, Spot spot) {
  return combine(argument, spot, /*stops_at=*/true);
}

Resolution Evaluator::combine(const Node& argument, Spot spot, bool stops_at) {
  if (argument.elements().empty())
    return fail(spot, "Fn::And and Fn::Or have a list of conditions");
  for (const Node& element : argument.elements()) {
    const auto is_true = evaluate_condition(element);
    if (!is_true) return tl::unexpected(is_true.error());
    if (*is_true == stops_at) return truth(stops_at, spot);
  }
  return truth(!stops_at, spot);
}

Resolution Evaluator::negate(const Node& argument, Spot spot) {
  if (argument.elements().size() != 1) return fail(spot, "Fn::Not has a list of one condition");
  const auto is_true = evaluate_condition(argument.elements()[0]);
  if (!is_true) return tl::unexpected(is_true.error());
  return truth(!*is_true, spot);
}

}  // namespace stator::templates
