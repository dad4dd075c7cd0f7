#include "protocol/partiql/where.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "protocol/expression/evaluation/condition_checks.h"
#include "protocol/expression/syntax/function_names.h"

namespace stator::partiql {
namespace {

using expr::Comparator;
using expr::Condition;
using expr::Function;
using expr::Operand;

bool is_logical(Operator op) { return op <= Operator::Like || op == Operator::Is; }

// Whether the node is a test, with a yes or no, rather than a value.
bool is_test(const Node& node) {
  if (node.kind == Node::Kind::Operation) return is_logical(node.op);
  if (node.kind != Node::Kind::Call) return false;
  const Function function = find_function(node.text);
  return function != Function::Size && function != Function::ListAppend &&
         function != Function::Unknown;
}

std::string_view operator_text(Operator op) {
  constexpr std::array<std::string_view, 6> kTexts = {"=", "<>", "<", "<=", ">", ">="};
  return kTexts[static_cast<std::size_t>(op) - static_cast<std::size_t>(Operator::Equal)];
}

Comparator comparator_of(Operator op) {
  return static_cast<Comparator>(static_cast<int>(op) - static_cast<int>(Operator::Equal));
}

class ConditionLowering {
 public:
  explicit ConditionLowering(const Scope& scope) : scope_(scope), arena_(scope.arena) {}

  Result<Condition*> lower(const Node& node) {
    if (node.kind == Node::Kind::Call) return lower_call(node);
    if (node.kind != Node::Kind::Operation || !is_logical(node.op)) {
      return unsupported(node);
    }
    switch (node.op) {
      case Operator::And:
      case Operator::Or:
        return lower_joined(node);
      case Operator::Not: {
        STATOR_TRY(Condition* const child, lower(*node.children[0]));
        return negated(child);
      }
      case Operator::Between:
        return lower_between(node);
      case Operator::In:
        return lower_in(node);
      case Operator::Is:
        return lower_type_test(node);
      case Operator::Like:
        return Error::validation("Unsupported operation: Like");
      default:
        return lower_comparison(node);
    }
  }

  // Operands of the first IN that has too many; 0 if none.
  std::size_t too_many_in_operands() const { return too_many_; }

 private:
  Condition* make(const Condition& node) { return arena_.make<Condition>(node); }

  Condition* negated(Condition* child) {
    const auto children = arena_.allocate_array<Condition*>(1);
    children[0] = child;
    return make({.kind = Condition::Kind::Not, .children = children});
  }

  Condition* make_with(Condition::Kind kind, const std::vector<Operand>& operands) {
    return make({.kind = kind, .operands = arena_.copy(std::span<const Operand>(operands))});
  }

  static Operand truth(bool value) {
    Operand operand;
    operand.kind = Operand::Kind::Constant;
    operand.value = Value::boolean(value);
    return operand;
  }

  Result<Condition*> lower_joined(const Node& node) {
    const auto children = arena_.allocate_array<Condition*>(node.children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      STATOR_TRY(children[i], lower(*node.children[i]));
    }
    const bool is_and = node.op == Operator::And;
    return make(
        {.kind = is_and ? Condition::Kind::And : Condition::Kind::Or, .children = children});
  }

  Result<Condition*> lower_call(const Node& node) {
    const Function function = find_function(node.text);
    if (!is_test(node)) {
      if (function != Function::Size) return unrecognized_function(node);
      return unsupported(node);
    }
    const auto arguments = arena_.allocate_array<Operand>(node.children.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      STATOR_TRY(arguments[i], lower_operand(*node.children[i], scope_));
    }
    auto* const call = arena_.make<expr::Call>(function, function_name(function), arguments);
    return make({.kind = Condition::Kind::Test, .call = call});
  }

  Result<Condition*> lower_comparison(const Node& node) {
    const Node& left = *node.children[0];
    const Node& right = *node.children[1];
    if (is_test(left)) return lower_truth(node, left, right);
    if (is_test(right)) return lower_truth(node, right, left);
    STATOR_TRY(const Operand first, lower_operand(left, scope_));
    STATOR_TRY(const Operand second, lower_operand(right, scope_));
    Condition* const compared = make_with(Condition::Kind::Compare, {first, second});
    compared->comparator = comparator_of(node.op);
    if (node.op != Operator::NotEqual) return compared;
    // A missing attribute makes <> false.
    return both(both(present(first), present(second), arena_), compared, arena_);
  }

  // The condition that the operand has a value; nullptr for one that always has. The size of a
  // number has none, like the size of a missing attribute.
  Condition* present(const Operand& operand) {
    if (operand.kind == Operand::Kind::Attribute) {
      return existence_test(operand, /*exists=*/true);
    }
    if (operand.kind == Operand::Kind::Constant) return nullptr;
    return type_test(operand, type_name(Type::N));
  }

  // Lowers a test compared with a value or with another test.
  Result<Condition*> lower_truth(const Node& node, const Node& test, const Node& other) {
    if (node.op != Operator::Equal && node.op != Operator::NotEqual)
      return wrong_operand(operator_text(node.op));
    TruthCandidates candidates;
    STATOR_TRY(Condition* const holds, lower(test));
    STATOR_CHECK(add_candidate(other, candidates));
    Condition* const same = is_among(holds, candidates);
    if (node.op == Operator::Equal) return same;
    // A missing attribute makes <> false.
    Condition* const there =
        candidates.operands.empty() ? nullptr : present(candidates.operands.front());
    return both(there, negated(same), arena_);
  }

  // The values that a test's truth is compared with.
  struct TruthCandidates {
    bool may_hold = false;
    bool may_fail = false;
    std::vector<Operand> operands;  // paths and functions
    std::vector<Condition*> tests;
  };

  Result<void> add_candidate(const Node& node, TruthCandidates& candidates) {
    if (is_test(node)) {
      STATOR_TRY(candidates.tests.emplace_back(), lower(node));
      return {};
    }
    STATOR_TRY(const Operand operand, lower_operand(node, scope_));
    if (operand.kind != Operand::Kind::Constant) {
      candidates.operands.push_back(operand);
    } else if (operand.value.type() == Type::Bool) {
      (operand.value.truth() ? candidates.may_hold : candidates.may_fail) = true;
    }
    return {};
  }

  // Uses one Truth node unless all candidates are constants. Repeating the test for each candidate
  // would double the tree at every level of nesting.
  Condition* is_among(Condition* holds, const TruthCandidates& candidates) {
    if (candidates.may_hold && candidates.may_fail) return always(true);
    if (candidates.operands.empty() && candidates.tests.empty()) {
      if (candidates.may_hold == candidates.may_fail) return always(false);
      return candidates.may_hold ? holds : negated(holds);
    }
    std::vector<Operand> operands = candidates.operands;
    if (candidates.may_hold != candidates.may_fail) operands.push_back(truth(candidates.may_hold));
    std::vector<Condition*> children = {holds};
    children.insert(children.end(), candidates.tests.begin(), candidates.tests.end());
    return make({.kind = Condition::Kind::Truth,
                 .children = arena_.copy(std::span<Condition* const>(children)),
                 .operands = arena_.copy(std::span<const Operand>(operands))});
  }

  static Error unsupported(const Node& node) {
    return Error::validation("Unsupported condition in WHERE clause at " + position_text(node.at));
  }

  Condition* always(bool value) {
    return make_with(Condition::Kind::Compare, {truth(true), truth(value)});
  }

  static Error wrong_operand(std::string_view name) {
    return Error::validation(
        std::string("Incorrect operand type for operator or function; operator or function: ")
            .append(name)
            .append(", operand type: BOOL"));
  }

  Result<Condition*> lower_between(const Node& node) {
    std::vector<Operand> operands;
    for (const Node* child : node.children) {
      if (is_test(*child)) return wrong_operand("BETWEEN");
      STATOR_TRY(const Operand operand, lower_operand(*child, scope_));
      operands.push_back(operand);
    }
    Condition* const between = make_with(Condition::Kind::Between, operands);
    return node.is_negated ? negated(between) : between;
  }

  Result<Condition*> lower_in(const Node& node) {
    const Node& tested = *node.children[0];
    const Node& list = *node.children[1];
    if (list.kind != Node::Kind::List && list.kind != Node::Kind::Bag) {
      return Error::validation("The IN operator requires a list of values at " +
                               position_text(list.at));
    }
    const std::size_t count = list.children.size();
    if (count > expr::kInOperandsMax && too_many_ == 0) too_many_ = count;
    if (list.children.empty())
      return Error::validation("The IN operator requires at least one value");
    STATOR_TRY(Condition* const found,
               is_test(tested) ? lower_truth_in(tested, list) : lower_value_in(tested, list));
    return node.is_negated ? negated(found) : found;
  }

  Result<Condition*> lower_value_in(const Node& tested, const Node& list) {
    std::vector<Operand> operands;
    STATOR_TRY(operands.emplace_back(), lower_operand(tested, scope_));
    std::vector<Condition*> choices;
    for (const Node* candidate : list.children) {
      if (is_test(*candidate)) {
        STATOR_TRY(Condition* const holds, lower(*candidate));
        TruthCandidates only;
        only.operands.push_back(operands.front());
        choices.push_back(is_among(holds, only));
      } else {
        STATOR_TRY(operands.emplace_back(), lower_operand(*candidate, scope_));
      }
    }
    if (operands.size() > 1) choices.push_back(make_with(Condition::Kind::In, operands));
    if (choices.size() == 1) return choices.front();
    return make({.kind = Condition::Kind::Or,
                 .children = arena_.copy(std::span<Condition* const>(choices))});
  }

  Result<Condition*> lower_truth_in(const Node& tested, const Node& list) {
    TruthCandidates candidates;
    STATOR_TRY(Condition* const holds, lower(tested));
    for (const Node* candidate : list.children) STATOR_CHECK(add_candidate(*candidate, candidates));
    return is_among(holds, candidates);
  }

  // IS NULL and similar test for a type, IS MISSING for absence.
  Result<Condition*> lower_type_test(const Node& node) {
    STATOR_TRY(const Operand tested, lower_operand(*node.children[0], scope_));
    if (node.text == "missing") return existence_test(tested, node.is_negated);
    std::string_view type;
    if (node.text == "null") type = "NULL";
    if (node.text == "bool" || node.text == "boolean") type = "BOOL";
    if (node.text == "string") type = "S";
    if (type.empty()) return Error::validation("Unsupported operation: IsType");
    Condition* const is_type = type_test(tested, type);
    return node.is_negated ? negated(is_type) : is_type;
  }

  Condition* type_test(const Operand& tested, std::string_view type) {
    const auto arguments = arena_.allocate_array<Operand>(2);
    arguments[0] = tested;
    arguments[1] = {};
    arguments[1].kind = Operand::Kind::Constant;
    arguments[1].value = Value::string(type);
    auto* const call = arena_.make<expr::Call>(Function::AttributeType,
                                               function_name(Function::AttributeType), arguments);
    return make({.kind = Condition::Kind::Test, .call = call});
  }

  Condition* existence_test(const Operand& tested, bool exists) {
    const auto arguments = arena_.allocate_array<Operand>(1);
    arguments[0] = tested;
    const Function function = exists ? Function::AttributeExists : Function::AttributeNotExists;
    auto* const call = arena_.make<expr::Call>(function, function_name(function), arguments);
    return make({.kind = Condition::Kind::Test, .call = call});
  }

  const Scope& scope_;
  Arena& arena_;
  std::size_t too_many_ = 0;
};

Condition* join(Condition::Kind kind, Condition* left, Condition* right, Arena& arena) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  const auto children = arena.allocate_array<Condition*>(2);
  children[0] = left;
  children[1] = right;
  return arena.make<Condition>(Condition{.kind = kind, .children = children});
}

}  // namespace

Result<Condition*> lower_condition(const Node& node, const Scope& scope) {
  ConditionLowering lowering(scope);
  STATOR_TRY(Condition* const condition, lowering.lower(node));
  STATOR_CHECK(expr::check_resolved_condition({condition, 0, lowering.too_many_in_operands()}));
  return condition;
}

Condition* both(Condition* left, Condition* right, Arena& arena) {
  return join(Condition::Kind::And, left, right, arena);
}

Condition* either(Condition* left, Condition* right, Arena& arena) {
  return join(Condition::Kind::Or, left, right, arena);
}

Condition* existence(std::string_view name, bool exists, Arena& arena) {
  const auto path = arena.allocate_array<expr::PathElement>(1);
  path[0] = {.text = name, .name = name};
  const auto arguments = arena.allocate_array<Operand>(1);
  arguments[0] = {};
  arguments[0].path = path;
  const Function function = exists ? Function::AttributeExists : Function::AttributeNotExists;
  auto* const call = arena.make<expr::Call>(function, function_name(function), arguments);
  return arena.make<Condition>(Condition{.kind = Condition::Kind::Test, .call = call});
}

}  // namespace stator::partiql
