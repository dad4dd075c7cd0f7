#include "protocol/expression/evaluation/key_condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/expression/evaluation/condition_checks.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/printer.h"
#include "protocol/service/common_errors.h"

namespace stator::expr {
namespace {

using Operator = KeyCondition::Operator;

constexpr std::string_view kParameter = "KeyConditionExpression";

// The operator that holds if the operands are exchanged.
Comparator mirrored(Comparator comparator) {
  switch (comparator) {
    case Comparator::Less:
      return Comparator::Greater;
    case Comparator::LessEqual:
      return Comparator::GreaterEqual;
    case Comparator::Greater:
      return Comparator::Less;
    case Comparator::GreaterEqual:
      return Comparator::LessEqual;
    case Comparator::Equal:
    case Comparator::NotEqual:
      break;
  }
  return comparator;
}

Operator operator_of(Comparator comparator) {
  switch (comparator) {
    case Comparator::Less:
      return Operator::Less;
    case Comparator::LessEqual:
      return Operator::LessEqual;
    case Comparator::Greater:
      return Operator::Greater;
    case Comparator::GreaterEqual:
      return Operator::GreaterEqual;
    case Comparator::Equal:
    case Comparator::NotEqual:
      break;
  }
  return Operator::Equal;
}

std::string_view legacy_name(Operator op) {
  switch (op) {
    case Operator::Equal:
      return "EQ";
    case Operator::Less:
      return "LT";
    case Operator::LessEqual:
      return "LE";
    case Operator::Greater:
      return "GT";
    case Operator::GreaterEqual:
      return "GE";
    case Operator::Between:
      return "BETWEEN";
    case Operator::BeginsWith:
    case Operator::Other:
      break;
  }
  return "BEGINS_WITH";
}

class Reader {
 public:
  explicit Reader(Wording wording) : wording_(wording) {}

  Result<std::vector<KeyCondition>> read(const Condition& condition) {
    STATOR_CHECK(read_conjunction(condition));
    if (wording_.is_new()) return std::move(conditions_);
    for (const KeyCondition& one : conditions_) STATOR_CHECK(check_type(one));
    return std::move(conditions_);
  }

 private:
  Result<void> read_conjunction(const Condition& node) {
    switch (node.kind) {
      case Condition::Kind::And:
        for (const Condition* child : node.children) STATOR_CHECK(read_conjunction(*child));
        return {};
      case Condition::Kind::Or:
        return invalid_operator("OR");
      case Condition::Kind::Not:
        return invalid_operator("NOT");
      case Condition::Kind::In:
        return invalid_operator("IN");
      case Condition::Kind::Compare:
        return read_comparison(node);
      case Condition::Kind::Between:
        STATOR_CHECK(check_operands(node.operands, "BETWEEN"));
        return add(Operator::Between, node.operands[0], node.operands[1].value,
                   node.operands[2].value);
      case Condition::Kind::Truth:
        return invalid_operator("=");
      case Condition::Kind::Test:
        break;
    }
    const Call& call = *node.call;
    if (call.function != Function::BeginsWith) return invalid_operator(call.name);
    STATOR_CHECK(check_operands(call.operands, call.name));
    return add(Operator::BeginsWith, call.operands[0], call.operands[1].value);
  }

  Result<void> read_comparison(const Condition& node) {
    if (node.comparator == Comparator::NotEqual) return invalid_operator("<>");
    STATOR_CHECK(check_operands(node.operands, {}));
    const Operand& left = node.operands[0];
    const Operand& right = node.operands[1];
    if (left.kind == Operand::Kind::Attribute) {
      return add(operator_of(node.comparator), left, right.value);
    }
    return add(operator_of(mirrored(node.comparator)), right, left.value);
  }

  // Checks that one operand is an attribute and the others are constants. The attribute must come
  // first unless `name` is empty.
  Result<void> check_operands(std::span<const Operand> operands, std::string_view name) const {
    if (!name.empty() && operands[0].kind != Operand::Kind::Attribute) {
      return invalid_condition(
          std::string(name).append(" operator must have the key attribute as its first operand"));
    }
    bool has_attribute = false;
    for (const Operand& operand : operands) {
      if (operand.kind == Operand::Kind::Constant) continue;
      if (operand.kind == Operand::Kind::Computed) {
        return not_plain("contain nested operations");
      }
      if (has_attribute) {
        return invalid_condition("Multiple attribute names used in one condition");
      }
      if (operand.path.size() > 1) {
        return not_plain("have conditions on nested attributes");
      }
      has_attribute = true;
    }
    if (has_attribute) return {};
    return invalid_condition("No key attribute specified");
  }

  Result<void> add(Operator op, const Operand& attribute, Value lower, Value upper = {}) {
    const std::string_view name = attribute.path.front().name;
    const bool is_repeated =
        std::any_of(conditions_.begin(), conditions_.end(),
                    [&](const KeyCondition& known) { return known.attribute == name; });
    if (is_repeated) {
      return error("KeyConditionExpressions must only contain one condition per key",
                   Rule::OneConditionPerKey);
    }
    conditions_.push_back({name, op, lower, upper});
    return {};
  }

  // The classic wording's type check; the current one makes it for every condition.
  static Result<void> check_type(const KeyCondition& condition) {
    if (condition.op == Operator::Equal || condition.op == Operator::BeginsWith) return {};
    Type type = condition.lower.type();
    if (condition.op == Operator::Between && is_key_type(type)) type = condition.upper.type();
    if (is_key_type(type)) return {};
    return invalid_parameter(std::string("ComparisonOperator ")
                                 .append(legacy_name(condition.op))
                                 .append(" is not valid for ")
                                 .append(type_name(type))
                                 .append(" AttributeValue type"));
  }

  Error invalid_operator(std::string_view name) const {
    return error(std::string("Invalid operator used in KeyConditionExpression: ").append(name),
                 Rule::KeyConditionOperator, {name});
  }
  Error invalid_condition(std::string_view mistake) const {
    return error(std::string("Invalid condition in KeyConditionExpression: ").append(mistake),
                 Rule::KeyConditionOperands, {mistake});
  }
  Error not_plain(std::string_view mistake) const {
    return error(std::string("KeyConditionExpressions cannot ").append(mistake),
                 Rule::PlainKeyCondition, {mistake});
  }

  Error error(std::string_view text, Rule rule,
              std::initializer_list<std::string_view> values = {}) const {
    const std::string_view introduction = wording_.is_new() ? kParameter : std::string_view();
    return Messages{introduction, wording_}.error(text, rule, values);
  }

  const Wording wording_;
  std::vector<KeyCondition> conditions_;
};

}  // namespace

Result<const Condition*> parse_key_condition(std::string_view text, Placeholders& placeholders,
                                             Wording wording, Arena& arena) {
  const Messages messages{kParameter, wording};
  STATOR_TRY(const ParsedCondition parsed,
             parse_cached<ParsedCondition>(text, messages, placeholders.cache(), arena,
                                           parse_condition_text));
  return check_condition(parsed, messages, placeholders,
                         wording.is_new() ? OrderCheck::Here : OrderCheck::ByCaller);
}

Result<std::span<const KeyCondition>> read_key_conditions(const Condition& condition,
                                                          Wording wording, Arena& arena) {
  STATOR_TRY(const std::vector<KeyCondition> conditions, Reader(wording).read(condition));
  return std::span<const KeyCondition>(arena.copy(std::span<const KeyCondition>(conditions)));
}

}  // namespace stator::expr
