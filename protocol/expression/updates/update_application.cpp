// Applies updates to items.
//
// First every action is evaluated against the item before the update. That yields a list of edits:
// a value or nothing at a path. Then the edits, in the order of their paths, rebuild the item
// (update_edits.h).
//
// Results share their inputs: a list_append stays a pair of lists until its action is done. It
// becomes one list only while everything built so far, and all edits together, can still fit an
// item.
#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/errors/rule.h"
#include "protocol/expression/resolution/path_order.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/updates/update.h"
#include "protocol/expression/updates/update_edits.h"
#include "protocol/number/number.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator::expr {
namespace {

Error wrong_type(const Update& update) {
  return Error::validation(update.is_legacy
                               ? "Type mismatch for attribute to update"
                               : "An operand in the update expression has an incorrect data type")
      .with_rule(Rule::UpdateOperand);
}

struct ConcatenatedList;

// The result of an operand: a value, or a list still in pieces.
struct OperandResult {
  Value value = {};
  const ConcatenatedList* joined = nullptr;

  Type type() const { return joined != nullptr ? Type::L : value.type(); }
  inline std::size_t element_count() const;
  inline bool holds_runs() const;
};

// Concatenation of two lists, for list_append().
struct ConcatenatedList {
  OperandResult head;
  OperandResult tail;
  std::size_t element_count;  // a run counts as one
  bool holds_runs;
};

std::size_t OperandResult::element_count() const {
  return joined != nullptr ? joined->element_count : value.elements().size();
}

bool OperandResult::holds_runs() const {
  return joined != nullptr ? joined->holds_runs : value.holds_runs();
}

// Writes the elements of the pieces, in order, to `out`; returns the end.
Value* write_elements(const OperandResult& list, Value* out) {
  if (list.joined == nullptr) {
    return std::copy(list.value.elements().begin(), list.value.elements().end(), out);
  }
  return write_elements(list.joined->tail, write_elements(list.joined->head, out));
}

// Evaluates operands and actions. No action sees the effect of another.
class Evaluator {
 public:
  Evaluator(const Update& update, Item before, Arena& arena)
      : update_(update), before_(before), arena_(arena) {}

  // The edits in the order of their targets. If they are too large for an item, the values are left
  // out; for a legacy update there are then no edits at all, as they are not needed.
  Result<Edits> edits() {
    edits_ = arena_.allocate_array<Edit>(update_.sets.size() + update_.removes.size() +
                                         update_.adds.size() + update_.deletes.size());
    for (const SetAction& action : update_.sets) {
      STATOR_TRY(const Value value, assigned(action));
      add(action.target, value);
    }
    for (const Path target : update_.removes) {
      if (!removes_nothing(target)) add(target, std::nullopt);
    }
    for (const ValueAction& action : update_.adds) {
      STATOR_TRY(const Value value, added(action));
      add(action.target, value);
    }
    for (const ValueAction& action : update_.deletes) {
      STATOR_TRY(const std::optional<Value> value, remaining(action));
      add(action.target, value);
    }
    if (is_too_large_ && update_.is_legacy) return Edits();
    const std::span<Edit> all = edits_.first(count_);
    if (is_too_large_) {
      for (Edit& edit : all) {
        if (edit.value) edit.value = Value::null();
      }
    }
    return Edits(sort_by_path(
        all, [](const Edit& edit) { return edit.target; }, arena_));
  }

  bool is_too_large() const { return is_too_large_; }

 private:
  // Whether the attribute is absent; not checked in an item of many attributes.
  bool removes_nothing(Path target) const {
    constexpr std::size_t kFewAttributes = 64;
    return target.size() == 1 && before_.size() <= kFewAttributes &&
           find_attribute(before_, target.front().name) == nullptr;
  }

  void add(Path target, const std::optional<Value>& value) {
    if (value && !is_too_large_) is_too_large_ = !has_room_for(target, *value);
    if (!is_too_large_ || !update_.is_legacy) edits_[count_++] = {target, value};
  }

  // Subtracts a written value from the bytes left; it is part of the item after the update, as are
  // names of whole attributes.
  bool has_room_for(Path target, const Value& value) {
    return target.size() == 1 ? take_attribute_size(target.front().name, value, left_bytes_)
                              : take_value_size(value, left_bytes_);
  }

  // Whether this many more elements may be built; each takes at least one byte of the item.
  bool has_room(std::size_t element_count) {
    is_too_large_ = is_too_large_ || element_count > elements_left_;
    if (is_too_large_) return false;
    elements_left_ -= element_count;
    return true;
  }

  Result<Value> assigned(const SetAction& action) {
    STATOR_TRY(const OperandResult left, value_of(action.left));
    if (action.arithmetic == SetAction::Arithmetic::None) return whole(left);
    STATOR_TRY(const OperandResult right, value_of(action.right));
    if (left.type() != Type::N || right.type() != Type::N) return wrong_type(update_);
    return sum(left.value, right.value, action.arithmetic == SetAction::Arithmetic::Minus);
  }

  Result<OperandResult> value_of(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::Attribute:
        if (const Value* const found = find_value_at(before_, operand.path))
          return OperandResult{*found};
        return Error::validation(
                   "The provided expression refers to an attribute that does not exist in the item")
            .with_rule(Rule::UpdateSource);
      case Operand::Kind::Constant:
        return OperandResult{operand.value};
      case Operand::Kind::Computed:
        break;
    }
    const auto arguments = operand.call->operands;
    if (operand.call->function == Function::IfNotExists) {
      const Value* const found = find_value_at(before_, arguments[0].path);
      if (found != nullptr) return OperandResult{*found};
      return value_of(arguments[1]);
    }
    assert(operand.call->function == Function::ListAppend);
    STATOR_TRY(const OperandResult head, value_of(arguments[0]));
    STATOR_TRY(const OperandResult tail, value_of(arguments[1]));
    return concatenation(head, tail);
  }

  Result<Value> added(const ValueAction& action) {
    const Value& operand = action.operand.value;
    const Value* const old = find_value_at(before_, action.target);
    if (old == nullptr) return operand;
    if (old->type() != operand.type()) return wrong_type(update_);
    if (operand.type() == Type::N) return sum(*old, operand, /*is_difference=*/false);
    if (operand.type() == Type::L) {
      STATOR_TRY(const OperandResult joined, concatenation({*old}, {operand}));
      return whole(joined);
    }
    if (!is_set(operand.type())) return wrong_type(update_);
    return united(*old, operand);
  }

  // The rest of the attribute after DELETE, if any.
  Result<std::optional<Value>> remaining(const ValueAction& action) {
    const Value& operand = action.operand.value;
    const Value* const old = find_value_at(before_, action.target);
    if (old == nullptr) return std::optional<Value>();
    if (old->type() != operand.type()) return wrong_type(update_);
    const Value rest = difference(*old, operand);
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
        return number_error(NumberError::Underflow);
      case NumberError::Overflow:
      case NumberError::TooManyDigits:
      case NumberError::NotANumber:
        break;
    }
    return number_error(NumberError::Overflow);
  }

  Result<OperandResult> concatenation(const OperandResult& head, const OperandResult& tail) {
    if (head.type() != Type::L || tail.type() != Type::L) return wrong_type(update_);
    const std::size_t count = head.element_count() + tail.element_count();
    return OperandResult{
        {},
        arena_.make<ConcatenatedList>(head, tail, count, head.holds_runs() || tail.holds_runs())};
  }

  Value whole(const OperandResult& evaluated) {
    if (evaluated.joined == nullptr) return evaluated.value;
    const std::size_t count = evaluated.element_count();
    if (!has_room(count)) return Value::null();
    const std::span<Value> all = arena_.allocate_array<Value>(count);
    write_elements(evaluated, all.data());
    return Value::list(all, evaluated.holds_runs());
  }

  // The union of two sets of one type.
  Value united(const Value& a, const Value& b) {
    const auto first = a.set_elements();
    const auto second = b.set_elements();
    if (!has_room(second.size())) return Value::null();
    const auto all = arena_.allocate_array<std::string_view>(first.size() + second.size());
    const auto end =
        std::set_union(first.begin(), first.end(), second.begin(), second.end(), all.begin());
    return Value::set(a.type(), all.first(static_cast<std::size_t>(end - all.begin())));
  }

  Value difference(const Value& a, const Value& b) {
    const auto kept = a.set_elements();
    const auto taken = b.set_elements();
    const auto rest = arena_.allocate_array<std::string_view>(kept.size());
    // One operand may remove far more elements than each of many sets has, so a small set searches
    // it instead of merging.
    const auto end =
        taken.size() / kMuchLarger > kept.size()
            ? std::copy_if(kept.begin(), kept.end(), rest.begin(),
                           [&](std::string_view element) {
                             return !std::binary_search(taken.begin(), taken.end(), element);
                           })
            : std::set_difference(kept.begin(), kept.end(), taken.begin(), taken.end(),
                                  rest.begin());
    return Value::set(a.type(), rest.first(static_cast<std::size_t>(end - rest.begin())));
  }

  static constexpr std::size_t kMuchLarger = 16;

  const Update& update_;
  const Item before_;
  Arena& arena_;
  std::span<Edit> edits_;  // space for all edits, `count_` used
  std::size_t count_ = 0;
  bool is_too_large_ = false;
  std::size_t left_bytes_ = limits::kItemBytesMax;
  // One element of a set may be empty, which takes no byte.
  std::size_t elements_left_ = limits::kItemBytesMax + kExpressionBytesMax;
};

}  // namespace

Result<Item> apply_update(const Update& update, Item before, bool exists, Arena& arena) {
  Evaluator evaluator(update, before, arena);
  STATOR_TRY(const Edits edits, evaluator.edits());
  // Targets of a legacy update are whole attributes, so their paths cannot be wrong.
  if (update.is_legacy && evaluator.is_too_large()) return update_too_large();
  Result<Item> after = rebuild(before, edits, exists, arena);
  if (after && evaluator.is_too_large()) return update_too_large();
  return after;
}

Error update_too_large() {
  return Error::validation("Item size to update has exceeded the maximum allowed size")
      .with_rule(Rule::UpdatedItemSize);
}

bool puts_too_large(const Update& update) {
  std::size_t left_bytes = limits::kItemBytesMax;
  return update.is_legacy && !std::ranges::all_of(update.sets, [&](const SetAction& action) {
           return take_attribute_size(action.target.front().name, action.left.value, left_bytes);
         });
}

}  // namespace stator::expr
