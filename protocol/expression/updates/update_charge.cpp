// The charge of an update (conformance/observed/expressions.md 7.3).
#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/updates/update.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator::expr {
namespace {

constexpr std::size_t kUpdateBytes = 3;
constexpr std::size_t kWritingClauseBytes = 19;  // SET, ADD
constexpr std::size_t kTakingClauseBytes = 1;    // REMOVE, DELETE
constexpr std::size_t kTargetStepBytes = 4;      // for each step after the first
constexpr std::size_t kPathBytes = 1;            // for a path as an operand
constexpr std::size_t kPathStepBytes = 14;
constexpr std::size_t kSumBytes = 34;
constexpr std::size_t kDifferenceBytes = 37;
constexpr std::size_t kListAppendBytes = 37;
constexpr std::size_t kIfNotExistsBytes = 39;

std::size_t step_bytes(const PathElement& step) {
  if (!step.is_index) return step.name.size();
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), step.index).ptr;
  return static_cast<std::size_t>(end - digits.data());
}

std::size_t target_bytes(Path target) {
  std::size_t sum = step_bytes(target.front());
  for (const PathElement& step : target.subspan(1)) sum += kTargetStepBytes + step_bytes(step);
  return sum;
}

// As value_size_bytes(), but kItemBytesMax + 1 for any larger value.
std::size_t bounded_size_bytes(const Value& value) {
  std::size_t left_bytes = limits::kItemBytesMax;
  if (!take_value_size(value, left_bytes)) return limits::kItemBytesMax + 1;
  return limits::kItemBytesMax - left_bytes;
}

std::size_t operand_bytes(const Operand& operand) {
  if (operand.kind == Operand::Kind::Constant) return bounded_size_bytes(operand.value);
  if (operand.kind == Operand::Kind::Attribute) {
    std::size_t sum = kPathBytes;
    for (const PathElement& step : operand.path) sum += kPathStepBytes + step_bytes(step);
    return sum;
  }
  const Call& call = *operand.call;
  std::size_t sum = call.function == Function::IfNotExists ? kIfNotExistsBytes : kListAppendBytes;
  for (const Operand& argument : call.operands) {
    if (sum <= limits::kItemBytesMax) sum += operand_bytes(argument);
  }
  return sum;
}

std::size_t assigned_bytes(const SetAction& action) {
  switch (action.arithmetic) {
    case SetAction::Arithmetic::None:
      return operand_bytes(action.left);
    case SetAction::Arithmetic::Plus:
      return kSumBytes + operand_bytes(action.left) + operand_bytes(action.right);
    case SetAction::Arithmetic::Minus:
      break;
  }
  return kDifferenceBytes + operand_bytes(action.left) + operand_bytes(action.right);
}

// Counts only the set elements that are not in the item yet.
std::size_t added_bytes(const ValueAction& action, Item before) {
  const Value& operand = action.operand.value;
  const Value* const old = find_value_at(before, action.target);
  if (!is_set(operand.type()) || old == nullptr || old->type() != operand.type()) {
    return bounded_size_bytes(operand);
  }
  const auto known = old->set_elements();
  std::size_t sum = 0;
  for (const std::string_view element : operand.set_elements()) {
    if (sum > limits::kItemBytesMax) break;
    if (std::binary_search(known.begin(), known.end(), element)) continue;
    sum += value_size_bytes(operand.type() == Type::NS ? Value::number(element)
                                                       : Value::string(element));
  }
  return sum;
}

}  // namespace

std::size_t update_charge_bytes(const Update& update, Item before) {
  assert(!update.is_legacy);
  std::size_t sum = kUpdateBytes;
  for (const SetAction& action : update.sets) {
    if (sum > limits::kItemBytesMax) return sum;
    sum += kWritingClauseBytes + target_bytes(action.target) + assigned_bytes(action);
  }
  for (const ValueAction& action : update.adds) {
    if (sum > limits::kItemBytesMax) return sum;
    sum += kWritingClauseBytes + target_bytes(action.target) + added_bytes(action, before);
  }
  for (const Path target : update.removes) sum += kTakingClauseBytes + target_bytes(target);
  for (const ValueAction& action : update.deletes) {
    sum += kTakingClauseBytes + target_bytes(action.target);
  }
  return sum;
}

}  // namespace stator::expr
