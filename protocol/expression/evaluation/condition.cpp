// The static checks of conditions: placeholders, number of operands, types of constants.
//
// The service checks one condition (a comparison, BETWEEN, IN or function) after the other from
// left to right, each completely. Within one, it checks all placeholders first, then functions that
// are operands, then the operator itself. Limits on the whole expression come last.
#include "protocol/expression/evaluation/condition.h"

#include <cassert>
#include <span>
#include <string>

#include "protocol/errors/rule.h"
#include "protocol/expression/evaluation/condition_checks.h"
#include "protocol/expression/resolution/operand_checks.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/printer.h"
#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator::expr {
namespace {

constexpr Types kText = only(Type::S) | only(Type::B);
constexpr Types kOrdered = kText | only(Type::N);
constexpr Types kSized = kText | kSets | only(Type::L) | only(Type::M);

constexpr std::string_view kTypeNameOperand = "S, the name of a type";
constexpr std::string_view kAllTypeNames = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
constexpr std::string_view kValidTypeNames = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}";
constexpr std::string_view kValidTypeNamesOfStatement = "{N,BS,L,B,NULL,M,S,SS,NS,BOOL}";

std::size_t operand_count(Function function) {
  switch (function) {
    case Function::AttributeExists:
    case Function::AttributeNotExists:
    case Function::Size:
      return 1;
    case Function::AttributeType:
    case Function::BeginsWith:
    case Function::Contains:
    case Function::IfNotExists:
    case Function::ListAppend:
    case Function::Unknown:
      break;
  }
  return 2;
}

// A bound of BETWEEN as messages show it.
std::string bound_text(const Value& value) {
  std::string text = "{";
  text.append(type_name(value.type())).append(":");
  if (value.type() == Type::N) {
    append_number_text(text, value.bytes());
  } else if (value.type() == Type::B) {
    append_base64(text, value.bytes());
  } else {
    text.append(value.bytes());
  }
  return text.append("}");
}

class Checker {
 public:
  Checker(const Messages& messages, Placeholders* placeholders, OrderCheck order_check)
      : messages_(messages), operands_(messages, placeholders), order_check_(order_check) {}

  Result<void> check(const Condition& node) {
    for (const Condition* child : node.children) STATOR_CHECK(check(*child));
    STATOR_CHECK(operands_.resolve(node.operands));
    if (node.call != nullptr) STATOR_CHECK(operands_.resolve(node.call->operands));
    STATOR_CHECK(check_calls(node.operands));
    switch (node.kind) {
      case Condition::Kind::And:
      case Condition::Kind::Or:
      case Condition::Kind::Not:
      case Condition::Kind::Truth:
        return {};
      case Condition::Kind::In:
        return operands_.check_distinct("IN", node.operands);
      case Condition::Kind::Compare:
        return check_comparison(comparator_text(node.comparator), node);
      case Condition::Kind::Between:
        return check_between(node.operands);
      case Condition::Kind::Test:
        break;
    }
    assert(node.call != nullptr);
    return check_call(*node.call);
  }

 private:
  Result<void> check_calls(std::span<const Operand> operands) {
    for (const Operand& operand : operands) {
      if (operand.kind == Operand::Kind::Computed) STATOR_CHECK(check_call(*operand.call));
    }
    return {};
  }

  Result<void> check_call(const Call& call) {
    STATOR_CHECK(check_calls(call.operands));
    STATOR_CHECK(operands_.check_operand_count(call, operand_count(call.function)));
    switch (call.function) {
      case Function::AttributeExists:
      case Function::AttributeNotExists:
        return operands_.check_is_path(call);
      case Function::AttributeType:
        STATOR_CHECK(operands_.check_distinct(call.name, call.operands));
        return check_type_name(call);
      case Function::BeginsWith:
        STATOR_CHECK(operands_.check_distinct(call.name, call.operands));
        return operands_.check_types(call.name, call.operands, kText);
      case Function::Contains:
        return operands_.check_distinct(call.name, call.operands);
      case Function::Size:
        return operands_.check_types(call.name, call.operands, kSized);
      case Function::IfNotExists:
      case Function::ListAppend:
      case Function::Unknown:
        break;
    }
    return {};
  }

  Result<void> check_comparison(std::string_view name, const Condition& node) {
    STATOR_CHECK(operands_.check_distinct(name, node.operands));
    if (node.comparator == Comparator::Equal || node.comparator == Comparator::NotEqual) return {};
    return check_ordered(name, node.operands);
  }

  Result<void> check_ordered(std::string_view name, std::span<const Operand> operands) {
    if (order_check_ == OrderCheck::ByCaller) return {};
    return operands_.check_types(name, operands, kOrdered);
  }

  Result<void> check_between(std::span<const Operand> operands) {
    STATOR_CHECK(operands_.check_distinct("BETWEEN", operands));
    STATOR_CHECK(check_ordered("BETWEEN", operands));
    const Operand& lower = operands[1];
    const Operand& upper = operands[2];
    if (lower.kind != Operand::Kind::Constant || upper.kind != Operand::Kind::Constant) return {};
    if (!is_key_type(lower.value.type()) || !is_key_type(upper.value.type())) return {};
    const bool is_same_type = lower.value.type() == upper.value.type();
    if (is_same_type && lower.value.bytes() <= upper.value.bytes()) return {};
    const std::string lower_text = bound_text(lower.value);
    const std::string upper_text = bound_text(upper.value);
    return messages_.error(
        std::string("The BETWEEN operator requires ")
            .append(is_same_type ? "upper bound to be greater than or equal to lower bound"
                                 : "same data type for lower and upper bounds")
            .append("; lower bound operand: AttributeValue: ")
            .append(lower_text)
            .append(", upper bound operand: AttributeValue: ")
            .append(upper_text),
        is_same_type ? Rule::BoundOrder : Rule::BoundTypes, {lower_text, upper_text});
  }

  Result<void> check_type_name(const Call& call) {
    const Operand& operand = call.operands[1];
    if (operand.kind == Operand::Kind::Attribute)
      return operands_.wrong_type(call.name, kAllTypeNames, kTypeNameOperand);
    if (operand.kind == Operand::Kind::Computed)
      return operands_.wrong_type(call.name, type_name(Type::N), kTypeNameOperand);
    if (operand.value.type() != Type::S) {
      return operands_.wrong_type(call.name, type_name(operand.value.type()), kTypeNameOperand);
    }
    if (find_type(operand.value.bytes())) return {};
    const std::string_view valid =
        messages_.parameter.empty() ? kValidTypeNamesOfStatement : kValidTypeNames;
    return messages_.error(std::string("Invalid attribute type name found; type: ")
                               .append(operand.value.bytes())
                               .append(", valid types: ")
                               .append(valid),
                           Rule::TypeName, {operand.value.bytes(), valid});
  }

  const Messages& messages_;
  OperandChecks operands_;
  const OrderCheck order_check_;
};

Result<const Condition*> check_parsed(const ParsedCondition& parsed, const Messages& messages,
                                      Placeholders* placeholders, OrderCheck order_check) {
  STATOR_CHECK(Checker(messages, placeholders, order_check).check(*parsed.root));
  STATOR_CHECK(OperandChecks(messages, placeholders).check_operators(parsed.operators));
  if (parsed.too_many_in_operands > 0) {
    return messages.error(
        std::string("The IN operator is provided with too many operands; number of operands: ")
            .append(std::to_string(parsed.too_many_in_operands)));
  }
  return parsed.root;
}

}  // namespace

Result<const Condition*> check_condition(const ParsedCondition& parsed, const Messages& messages,
                                         Placeholders& placeholders, OrderCheck order_check) {
  return check_parsed(parsed, messages, &placeholders, order_check);
}

Result<void> check_resolved_condition(const ParsedCondition& condition) {
  const Messages messages{{}, Wording{}};
  STATOR_CHECK(check_parsed(condition, messages, nullptr, OrderCheck::Here));
  return {};
}

Result<const Condition*> parse_condition(std::string_view text, std::string_view parameter,
                                         Placeholders& placeholders, Wording wording,
                                         Arena& arena) {
  const Messages messages{parameter, wording};
  STATOR_TRY(const ParsedCondition parsed,
             parse_cached<ParsedCondition>(text, messages, placeholders.cache(), arena,
                                           parse_condition_text));
  return check_condition(parsed, messages, placeholders, OrderCheck::Here);
}

}  // namespace stator::expr
