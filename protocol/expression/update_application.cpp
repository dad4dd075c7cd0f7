// Updates applied to items.
//
// First every action is evaluated against the item as it was, which leaves a list of edits: a value
// or nothing at a path. Then the item is rebuilt in one walk over the edits in the order of their
// paths; what no edit touches is shared with the item before.
#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "protocol/expression/paths.h"
#include "protocol/expression/update.h"
#include "protocol/limits.h"
#include "protocol/number.h"

namespace stator::expr {
namespace {

Error invalid_path() {
  return Error::validation(
      "The document path provided in the update expression is invalid for update");
}

Error wrong_type(const Update& update) {
  return Error::validation(update.is_legacy
                               ? "Type mismatch for attribute to update"
                               : "An operand in the update expression has an incorrect data type");
}

// The value after the update, or nothing.
struct Edit {
  Path target;
  std::optional<Value> value;
};
using Edits = std::span<const Edit>;

// Evaluates operands and actions. Never looks at what another action did.
class Evaluator {
 public:
  Evaluator(const Update& update, Item before, Arena& arena)
      : update_(update), before_(before), arena_(arena) {}

  // In no particular order.
  Result<Edits> edits() {
    const std::span<Edit> edits =
        arena_.allocate_array<Edit>(update_.sets.size() + update_.removes.size() +
                                    update_.adds.size() + update_.deletes.size());
    std::size_t count = 0;
    for (const SetAction& action : update_.sets) {
      STATOR_TRY(const Value value, assigned(action));
      edits[count++] = {action.target, value};
    }
    for (const Path target : update_.removes) edits[count++] = {target, std::nullopt};
    for (const ValueAction& action : update_.adds) {
      STATOR_TRY(const Value value, added(action));
      edits[count++] = {action.target, value};
    }
    for (const ValueAction& action : update_.deletes) {
      STATOR_TRY(const std::optional<Value> value, remaining(action));
      edits[count++] = {action.target, value};
    }
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return is_path_before(a.target, b.target); });
    return edits;
  }

 private:
  Result<Value> assigned(const SetAction& action) {
    STATOR_TRY(const Value left, value_of(action.left));
    if (action.arithmetic == SetAction::Arithmetic::None) return left;
    STATOR_TRY(const Value right, value_of(action.right));
    return sum(left, right, action.arithmetic == SetAction::Arithmetic::Minus);
  }

  Result<Value> value_of(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::Attribute:
        if (const Value* const found = find_value_at(before_, operand.path)) return *found;
        return Error::validation(
            "The provided expression refers to an attribute that does not exist in the item");
      case Operand::Kind::Constant:
        return operand.value;
      case Operand::Kind::Computed:
        break;
    }
    const auto arguments = operand.call->operands;
    if (operand.call->function == Function::IfNotExists) {
      const Value* const found = find_value_at(before_, arguments[0].path);
      if (found != nullptr) return *found;
      return value_of(arguments[1]);
    }
    assert(operand.call->function == Function::ListAppend);
    STATOR_TRY(const Value head, value_of(arguments[0]));
    STATOR_TRY(const Value tail, value_of(arguments[1]));
    return concatenation(head, tail);
  }

  Result<Value> added(const ValueAction& action) {
    const Value& operand = action.operand.value;
    const Value* const old = find_value_at(before_, action.target);
    if (old == nullptr) return operand;
    if (old->type() != operand.type()) return wrong_type(update_);
    if (operand.type() == Type::N) return sum(*old, operand, /*is_difference=*/false);
    if (operand.type() == Type::L) return concatenation(*old, operand);
    if (!is_set(operand.type())) return wrong_type(update_);
    return merged(*old, operand, std::set_union<Element, Element, ElementOut>);
  }

  // What DELETE leaves of the attribute, if anything.
  Result<std::optional<Value>> remaining(const ValueAction& action) {
    const Value& operand = action.operand.value;
    const Value* const old = find_value_at(before_, action.target);
    if (old == nullptr) return std::optional<Value>();
    if (old->type() != operand.type()) return wrong_type(update_);
    const Value rest = merged(*old, operand, std::set_difference<Element, Element, ElementOut>);
    if (rest.set_elements().empty()) return std::optional<Value>();
    return std::optional<Value>(rest);
  }

  Result<Value> sum(const Value& left, const Value& right, bool is_difference) {
    if (left.type() != Type::N || right.type() != Type::N) return wrong_type(update_);
    const Number addend = decode_number(right.bytes());
    Number result;
    switch (
        add_numbers(decode_number(left.bytes()), is_difference ? negate(addend) : addend, result)) {
      case NumberError::None:
        return Value::number(encode_number(result, arena_));
      case NumberError::Underflow:
        return Error::validation(
            "Number underflow. Attempting to store a number with magnitude smaller than "
            "supported range");
      case NumberError::Overflow:
      case NumberError::TooManyDigits:
      case NumberError::NotANumber:
        break;
    }
    return Error::validation(
        "Number overflow. Attempting to store a number with magnitude larger than supported "
        "range");
  }

  Result<Value> concatenation(const Value& head, const Value& tail) {
    if (head.type() != Type::L || tail.type() != Type::L) return wrong_type(update_);
    const auto first = head.elements();
    const auto second = tail.elements();
    const std::span<Value> all = arena_.allocate_array<Value>(first.size() + second.size());
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), all.begin()));
    return Value::list(all);
  }

  using Element = std::span<const std::string_view>::iterator;
  using ElementOut = std::span<std::string_view>::iterator;

  // The union or difference of two sets of one type.
  Value merged(const Value& a, const Value& b,
               ElementOut (*combine)(Element, Element, Element, Element, ElementOut)) {
    const auto first = a.set_elements();
    const auto second = b.set_elements();
    const auto all = arena_.allocate_array<std::string_view>(first.size() + second.size());
    const auto end = combine(first.begin(), first.end(), second.begin(), second.end(), all.begin());
    return Value::set(a.type(), all.first(static_cast<std::size_t>(end - all.begin())));
  }

  const Update& update_;
  const Item before_;
  Arena& arena_;
};

// Levels of a value: a scalar or set has one.
std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (value.type() == Type::L) {
    for (const Value& element : value.elements()) deepest = std::max(deepest, depth_of(element));
  } else if (value.type() == Type::M) {
    for (const Member& member : value.members()) {
      deepest = std::max(deepest, depth_of(member.value));
    }
  }
  return deepest + 1;
}

// A value may be too deep for where it goes, though every value is within the limit where it is.
Result<void> check_depth(const Edit& edit) {
  if (edit.target.size() - 1 + depth_of(*edit.value) <= limits::kValueDepthMax) return {};
  return Error::validation("Nesting Levels have exceeded supported limits");
}

bool is_same_step(const PathElement& a, const PathElement& b) {
  return a.is_index ? a.index == b.index : a.name == b.name;
}

// Takes the edits off the front of `rest` which share the step at `depth`.
Edits take_group(Edits& rest, std::size_t depth) {
  std::size_t count = 1;
  while (count < rest.size() && is_same_step(rest[0].target[depth], rest[count].target[depth])) {
    ++count;
  }
  const Edits group = rest.first(count);
  rest = rest.subspan(count);
  return group;
}

class Rebuilder {
 public:
  Rebuilder(bool exists, Arena& arena) : exists_(exists), arena_(arena) {}

  // `members` after the edits, whose steps up to `depth` lead to them.
  Result<std::span<const Member>> members(Edits edits, std::size_t depth,
                                          std::span<const Member> members) {
    const auto out = arena_.allocate_array<Member>(members.size() + edits.size());
    std::size_t count = 0;
    while (!edits.empty()) {
      const Edits group = take_group(edits, depth);
      const std::string_view name = group.front().target[depth].name;
      while (!members.empty() && members.front().name < name) {
        out[count++] = members.front();
        members = members.subspan(1);
      }
      const Value* old = nullptr;
      if (!members.empty() && members.front().name == name) {
        old = &members.front().value;
        members = members.subspan(1);
      }
      STATOR_TRY(const std::optional<Value> value, edited(group, depth + 1, old));
      if (value) out[count++] = {name, *value};
    }
    std::copy(members.begin(), members.end(), out.begin() + static_cast<std::ptrdiff_t>(count));
    return out.first(count + members.size());
  }

 private:
  Result<std::span<const Value>> elements(Edits edits, std::size_t depth,
                                          std::span<const Value> elements) {
    const auto out = arena_.allocate_array<Value>(elements.size() + edits.size());
    std::size_t count = 0;
    std::size_t next = 0;  // the first element not looked at
    while (!edits.empty()) {
      const Edits group = take_group(edits, depth);
      const std::uint64_t index = group.front().target[depth].index;
      while (next < elements.size() && next < index) out[count++] = elements[next++];
      const Value* const old = next < elements.size() ? &elements[next++] : nullptr;
      STATOR_TRY(const std::optional<Value> value, edited(group, depth + 1, old));
      if (value) out[count++] = *value;
    }
    while (next < elements.size()) out[count++] = elements[next++];
    return out.first(count);
  }

  // What becomes of `old` (nullptr: there is none), to which the steps before `depth` lead.
  Result<std::optional<Value>> edited(Edits group, std::size_t depth, const Value* old) {
    const Edit& first = group.front();
    if (first.target.size() == depth) {
      assert(group.size() == 1);
      if (first.value) STATOR_CHECK(check_depth(first));
      return first.value;
    }
    // As no two targets conflict, the first step tells which kind all of them need.
    const bool is_list = first.target[depth].is_index;
    if (old == nullptr || old->type() != (is_list ? Type::L : Type::M)) {
      const bool removes_only = std::none_of(
          group.begin(), group.end(), [](const Edit& edit) { return edit.value.has_value(); });
      if (old == nullptr && removes_only && !exists_) return std::optional<Value>();
      return invalid_path();
    }
    if (is_list) {
      STATOR_TRY(const auto values, elements(group, depth, old->elements()));
      return std::optional<Value>(Value::list(values));
    }
    STATOR_TRY(const auto values, members(group, depth, old->members()));
    return std::optional<Value>(Value::map(values));
  }

  const bool exists_;
  Arena& arena_;
};

}  // namespace

Result<Item> apply_update(const Update& update, Item before, bool exists, Arena& arena) {
  STATOR_TRY(const Edits edits, Evaluator(update, before, arena).edits());
  return Rebuilder(exists, arena).members(edits, 0, before);
}

}  // namespace stator::expr
