// Updates applied to items.
//
// First every action is evaluated against the item as it was, which leaves a list of edits: a value
// or nothing at a path. Then the item is rebuilt from these, in the order of their paths
// (update_edits.h).
//
// What is evaluated shares what it is made of: a list_append is a pair of what it joins until its
// action is done, and becomes one list only while all that was built so far, and all edits
// together, can still be an item.
#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/expression/path_order.h"
#include "protocol/expression/paths.h"
#include "protocol/expression/update.h"
#include "protocol/expression/update_edits.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"
#include "protocol/number.h"

namespace stator::expr {
namespace {

Error wrong_type(const Update& update) {
  return Error::validation(update.is_legacy
                               ? "Type mismatch for attribute to update"
                               : "An operand in the update expression has an incorrect data type");
}

struct Joined;

// What an operand comes to: a value, or a list that is still in pieces.
struct Evaluated {
  Value value = {};
  const Joined* joined = nullptr;

  Type type() const { return joined != nullptr ? Type::L : value.type(); }
  inline std::size_t element_count() const;
  inline bool holds_runs() const;
};

// One list behind another.
struct Joined {
  Evaluated head;
  Evaluated tail;
  std::size_t element_count;  // a run is one
  bool holds_runs;
};

std::size_t Evaluated::element_count() const {
  return joined != nullptr ? joined->element_count : value.elements().size();
}

bool Evaluated::holds_runs() const {
  return joined != nullptr ? joined->holds_runs : value.holds_runs();
}

// The elements of the pieces, in order, from `out` on; returns the end.
Value* write_elements(const Evaluated& list, Value* out) {
  if (list.joined == nullptr) {
    return std::copy(list.value.elements().begin(), list.value.elements().end(), out);
  }
  return write_elements(list.joined->tail, write_elements(list.joined->head, out));
}

// Evaluates operands and actions. Never looks at what another action did.
class Evaluator {
 public:
  Evaluator(const Update& update, Item before, Arena& arena)
      : update_(update), before_(before), arena_(arena) {}

  // In the order of their targets. When they are too large for an item, values are left out, and of
  // a legacy update all of them: nobody looks at them.
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
  // Whether there is no such attribute; not looked for in an item of many.
  bool removes_nothing(Path target) const {
    constexpr std::size_t kFewAttributes = 64;
    return target.size() == 1 && before_.size() <= kFewAttributes &&
           find_attribute(before_, target.front().name) == nullptr;
  }

  void add(Path target, const std::optional<Value>& value) {
    if (value && !is_too_large_) is_too_large_ = !has_room_for(target, *value);
    if (!is_too_large_ || !update_.is_legacy) edits_[count_++] = {target, value};
  }

  // Values written are part of the item after the update, as are the names of whole attributes.
  bool has_room_for(Path target, const Value& value) {
    return target.size() == 1 ? take_attribute_size(target.front().name, value, left_bytes_)
                              : take_value_size(value, left_bytes_);
  }

  // Whether so many elements more may be built; each is a byte of the item at least.
  bool has_room(std::size_t element_count) {
    is_too_large_ = is_too_large_ || element_count > elements_left_;
    if (is_too_large_) return false;
    elements_left_ -= element_count;
    return true;
  }

  Result<Value> assigned(const SetAction& action) {
    STATOR_TRY(const Evaluated left, value_of(action.left));
    if (action.arithmetic == SetAction::Arithmetic::None) return whole(left);
    STATOR_TRY(const Evaluated right, value_of(action.right));
    if (left.type() != Type::N || right.type() != Type::N) return wrong_type(update_);
    return sum(left.value, right.value, action.arithmetic == SetAction::Arithmetic::Minus);
  }

  Result<Evaluated> value_of(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::Attribute:
        if (const Value* const found = find_value_at(before_, operand.path))
          return Evaluated{*found};
        return Error::validation(
            "The provided expression refers to an attribute that does not exist in the item");
      case Operand::Kind::Constant:
        return Evaluated{operand.value};
      case Operand::Kind::Computed:
        break;
    }
    const auto arguments = operand.call->operands;
    if (operand.call->function == Function::IfNotExists) {
      const Value* const found = find_value_at(before_, arguments[0].path);
      if (found != nullptr) return Evaluated{*found};
      return value_of(arguments[1]);
    }
    assert(operand.call->function == Function::ListAppend);
    STATOR_TRY(const Evaluated head, value_of(arguments[0]));
    STATOR_TRY(const Evaluated tail, value_of(arguments[1]));
    return concatenation(head, tail);
  }

  Result<Value> added(const ValueAction& action) {
    const Value& operand = action.operand.value;
    const Value* const old = find_value_at(before_, action.target);
    if (old == nullptr) return operand;
    if (old->type() != operand.type()) return wrong_type(update_);
    if (operand.type() == Type::N) return sum(*old, operand, /*is_difference=*/false);
    if (operand.type() == Type::L) {
      STATOR_TRY(const Evaluated joined, concatenation({*old}, {operand}));
      return whole(joined);
    }
    if (!is_set(operand.type())) return wrong_type(update_);
    return united(*old, operand);
  }

  // What DELETE leaves of the attribute, if anything.
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

  Result<Evaluated> concatenation(const Evaluated& head, const Evaluated& tail) {
    if (head.type() != Type::L || tail.type() != Type::L) return wrong_type(update_);
    const std::size_t count = head.element_count() + tail.element_count();
    return Evaluated{
        {}, arena_.make<Joined>(head, tail, count, head.holds_runs() || tail.holds_runs())};
  }

  Value whole(const Evaluated& evaluated) {
    if (evaluated.joined == nullptr) return evaluated.value;
    const std::size_t count = evaluated.element_count();
    if (!has_room(count)) return Value::null();
    const std::span<Value> all = arena_.allocate_array<Value>(count);
    write_elements(evaluated, all.data());
    return Value::list(all, evaluated.holds_runs());
  }

  // Sets of one type.
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
    // What is taken away may be many times what is there, and be taken from many sets.
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
  std::span<Edit> edits_;  // room for all, of which `count_` are there
  std::size_t count_ = 0;
  bool is_too_large_ = false;
  std::size_t left_bytes_ = limits::kItemBytesMax;
  // A set may have one element that counts nothing.
  std::size_t elements_left_ = limits::kItemBytesMax + kExpressionBytesMax;
};

}  // namespace

Result<Item> apply_update(const Update& update, Item before, bool exists, Arena& arena) {
  Evaluator evaluator(update, before, arena);
  STATOR_TRY(const Edits edits, evaluator.edits());
  // Whole attributes leave nothing to be wrong with their paths.
  if (update.is_legacy && evaluator.is_too_large())
    return Error::validation(std::string(kUpdateTooLarge));
  Result<Item> after = rebuild(before, edits, exists, arena);
  if (after && evaluator.is_too_large()) return Error::validation(std::string(kUpdateTooLarge));
  return after;
}

bool puts_too_large(const Update& update) {
  std::size_t left_bytes = limits::kItemBytesMax;
  return update.is_legacy && !std::ranges::all_of(update.sets, [&](const SetAction& action) {
           return take_attribute_size(action.target.front().name, action.left.value, left_bytes);
         });
}

}  // namespace stator::expr
