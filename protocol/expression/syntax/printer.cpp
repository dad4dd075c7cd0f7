#include "protocol/expression/syntax/printer.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <string_view>

namespace stator::expr {
namespace {

constexpr std::array<std::string_view, 6> kComparators = {"=", "<>", "<", "<=", ">", ">="};

void append_operand(std::string& out, const Operand& operand);

void append_list(std::string& out, std::span<const Operand> operands) {
  out.push_back('(');
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out.append(", ");
    append_operand(out, operands[i]);
  }
  out.push_back(')');
}

void append_call(std::string& out, const Call& call) {
  out.append(call.name);
  append_list(out, call.operands);
}

void append_operand(std::string& out, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      append_path(out, operand.path);
      return;
    case Operand::Kind::Constant:
      out.append(operand.placeholder);
      return;
    case Operand::Kind::Computed:
      append_call(out, *operand.call);
      return;
  }
}

int precedence(Condition::Kind kind) {
  switch (kind) {
    case Condition::Kind::Or:
      return 0;
    case Condition::Kind::And:
      return 1;
    case Condition::Kind::Not:
      return 2;
    case Condition::Kind::Compare:
    case Condition::Kind::Between:
    case Condition::Kind::In:
    case Condition::Kind::Test:
    case Condition::Kind::Truth:
      break;
  }
  return 3;
}

// Prints parentheses unless the child binds at least as tightly as `lowest`.
void append_child(std::string& out, const Condition& child, int lowest) {
  const bool needs_parentheses = precedence(child.kind) < lowest;
  if (needs_parentheses) out.push_back('(');
  append_condition(out, child);
  if (needs_parentheses) out.push_back(')');
}

void append_joined(std::string& out, const Condition& node, std::string_view keyword) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) out.append(keyword);
    append_child(out, *node.children[i], precedence(node.kind) + 1);
  }
}

// "SET a, b": prints the section's keyword before the first action.
void append_separator(std::string& out, std::size_t action, std::string_view keyword) {
  if (action > 0) {
    out.append(", ");
    return;
  }
  if (!out.empty()) out.push_back(' ');
  out.append(keyword).push_back(' ');
}

void append_actions(std::string& out, std::span<const ValueAction> actions,
                    std::string_view keyword) {
  for (std::size_t i = 0; i < actions.size(); ++i) {
    append_separator(out, i, keyword);
    append_path(out, actions[i].target);
    out.push_back(' ');
    append_operand(out, actions[i].operand);
  }
}

}  // namespace

std::string_view comparator_text(Comparator comparator) {
  return kComparators[static_cast<std::size_t>(comparator)];
}

void append_path(std::string& out, Path path) {
  bool is_first = true;
  for (const PathElement& element : path) {
    if (element.is_index) {
      out.append("[").append(std::to_string(element.index)).append("]");
    } else {
      out.append(is_first ? "" : ".").append(element.text);
    }
    is_first = false;
  }
}

void append_condition(std::string& out, const Condition& condition) {
  const auto operands = condition.operands;
  switch (condition.kind) {
    case Condition::Kind::Or:
      append_joined(out, condition, " OR ");
      return;
    case Condition::Kind::And:
      append_joined(out, condition, " AND ");
      return;
    case Condition::Kind::Not:
      out.append("NOT ");
      append_child(out, *condition.children[0], precedence(Condition::Kind::Not));
      return;
    case Condition::Kind::Compare:
      append_operand(out, operands[0]);
      out.append(" ").append(comparator_text(condition.comparator)).append(" ");
      append_operand(out, operands[1]);
      return;
    case Condition::Kind::Between:
      append_operand(out, operands[0]);
      out.append(" BETWEEN ");
      append_operand(out, operands[1]);
      out.append(" AND ");
      append_operand(out, operands[2]);
      return;
    case Condition::Kind::In:
      append_operand(out, operands[0]);
      out.append(" IN ");
      append_list(out, operands.subspan(1));
      return;
    case Condition::Kind::Test:
      append_call(out, *condition.call);
      return;
    case Condition::Kind::Truth:
      assert(false);  // no expression has a text for it
      return;
  }
}

void append_update(std::string& out, const Update& update) {
  for (std::size_t i = 0; i < update.sets.size(); ++i) {
    const SetAction& action = update.sets[i];
    append_separator(out, i, "SET");
    append_path(out, action.target);
    out.append(" = ");
    append_operand(out, action.left);
    if (action.arithmetic == SetAction::Arithmetic::None) continue;
    out.append(action.arithmetic == SetAction::Arithmetic::Plus ? " + " : " - ");
    append_operand(out, action.right);
  }
  for (std::size_t i = 0; i < update.removes.size(); ++i) {
    append_separator(out, i, "REMOVE");
    append_path(out, update.removes[i]);
  }
  append_actions(out, update.adds, "ADD");
  append_actions(out, update.deletes, "DELETE");
}

}  // namespace stator::expr
