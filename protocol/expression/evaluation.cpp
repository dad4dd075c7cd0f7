// Conditions evaluated on items.
//
// An operand may be absent (its path leads nowhere) or unusable (size() of a number): both make
// what they are part of false, except that an absent side makes `<>` true. NOT is plain negation.
#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string_view>

#include "protocol/expression/condition.h"
#include "protocol/expression/paths.h"
#include "protocol/number.h"

namespace stator::expr {
namespace {

std::size_t utf16_length(std::string_view utf8) {
  std::size_t units = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) != 0x80u) ++units;  // the first byte of a character
    if (byte >= 0xF0u) ++units;            // one that needs a surrogate pair
  }
  return units;
}

// The result of an operand.
class Outcome {
 public:
  enum class State { Present, Absent, Unusable };

  Outcome(const Operand& operand, Item item) {
    switch (operand.kind) {
      case Operand::Kind::Attribute:
        found_ = find_value_at(item, operand.path);
        state_ = found_ != nullptr ? State::Present : State::Absent;
        return;
      case Operand::Kind::Constant:
        found_ = &operand.value;
        return;
      case Operand::Kind::Computed:
        break;
    }
    assert(operand.call->function == Function::Size);
    const Outcome measured(operand.call->operands[0], item);
    state_ = measured.state();
    if (state_ == State::Present) measure(measured.value());
  }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  State state() const { return state_; }
  bool is_present() const { return state_ == State::Present; }
  const Value& value() const {
    assert(is_present());
    return *found_;
  }

 private:
  void measure(const Value& value) {
    switch (value.type()) {
      case Type::S:
        return set_number(utf16_length(value.bytes()));
      case Type::B:
        return set_number(value.bytes().size());
      case Type::SS:
      case Type::NS:
      case Type::BS:
        return set_number(value.set_elements().size());
      case Type::L:
        return set_number(value.elements().size());
      case Type::M:
        return set_number(value.members().size());
      case Type::N:
      case Type::Bool:
      case Type::Null:
        break;
    }
    state_ = State::Unusable;
  }

  void set_number(std::size_t number) {
    Number normalised;
    while (number != 0 && number % 10 == 0) {
      number /= 10;
      ++normalised.exponent;
    }
    normalised.digits = number;
    number_ = Value::number({digits_.data(), encode_number(normalised, digits_.data())});
    found_ = &number_;
  }

  State state_ = State::Present;
  const Value* found_ = nullptr;
  Value number_;
  std::array<char, Number::kOrderedBytesMax> digits_;
};

// Whether the two have an order, and a's place in it: negative, zero or positive.
bool compare(const Value& a, const Value& b, int& order) {
  if (a.type() != b.type() || !is_key_type(a.type())) return false;
  order = a.bytes().compare(b.bytes());
  return true;
}

bool matches_comparison(Comparator comparator, const Outcome& left, const Outcome& right) {
  using State = Outcome::State;
  if (left.state() == State::Unusable || right.state() == State::Unusable) return false;
  if (!left.is_present() || !right.is_present()) return comparator == Comparator::NotEqual;
  const Value& a = left.value();
  const Value& b = right.value();
  int order = 0;
  switch (comparator) {
    case Comparator::Equal:
      return a == b;
    case Comparator::NotEqual:
      return !(a == b);
    case Comparator::Less:
      return compare(a, b, order) && order < 0;
    case Comparator::LessEqual:
      return compare(a, b, order) && order <= 0;
    case Comparator::Greater:
      return compare(a, b, order) && order > 0;
    case Comparator::GreaterEqual:
      return compare(a, b, order) && order >= 0;
  }
  return false;
}

bool matches_between(std::span<const Operand> operands, Item item) {
  const Outcome tested(operands[0], item);
  const Outcome lower(operands[1], item);
  const Outcome upper(operands[2], item);
  if (!tested.is_present() || !lower.is_present() || !upper.is_present()) return false;
  int order = 0;
  return compare(tested.value(), lower.value(), order) && order >= 0 &&
         compare(tested.value(), upper.value(), order) && order <= 0;
}

bool matches_in(std::span<const Operand> operands, Item item) {
  const Outcome tested(operands[0], item);
  if (!tested.is_present()) return false;
  return std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& operand) {
    const Outcome candidate(operand, item);
    return candidate.is_present() && candidate.value() == tested.value();
  });
}

bool begins_with(const Value& value, const Value& prefix) {
  if (value.type() != prefix.type()) return false;
  if (value.type() != Type::S && value.type() != Type::B) return false;
  return value.bytes().starts_with(prefix.bytes());
}

bool contains(const Value& value, const Value& wanted) {
  switch (value.type()) {
    case Type::S:
    case Type::B:
      return wanted.type() == value.type() &&
             value.bytes().find(wanted.bytes()) != std::string_view::npos;
    case Type::SS:
    case Type::NS:
    case Type::BS: {
      const Type element_type = value.type() == Type::SS   ? Type::S
                                : value.type() == Type::NS ? Type::N
                                                           : Type::B;
      const auto elements = value.set_elements();
      return wanted.type() == element_type &&
             std::binary_search(elements.begin(), elements.end(), wanted.bytes());
    }
    case Type::L: {
      const auto elements = value.elements();
      return std::find(elements.begin(), elements.end(), wanted) != elements.end();
    }
    case Type::N:
    case Type::Bool:
    case Type::Null:
    case Type::M:
      break;
  }
  return false;
}

bool matches_call(const Call& call, Item item) {
  const Outcome first(call.operands[0], item);
  if (call.function == Function::AttributeExists) return first.is_present();
  if (call.function == Function::AttributeNotExists) return !first.is_present();
  const Outcome second(call.operands[1], item);
  if (!first.is_present() || !second.is_present()) return false;
  switch (call.function) {
    case Function::AttributeType:
      return find_type(second.value().bytes()) == first.value().type();
    case Function::BeginsWith:
      return begins_with(first.value(), second.value());
    case Function::Contains:
      return contains(first.value(), second.value());
    case Function::AttributeExists:
    case Function::AttributeNotExists:
    case Function::Size:
    case Function::Unknown:
      break;
  }
  assert(false);
  return false;
}

}  // namespace

bool matches(const Condition& condition, Item item) {
  const auto is_met = [&](const Condition* child) { return matches(*child, item); };
  const auto children = condition.children;
  switch (condition.kind) {
    case Condition::Kind::And:
      return std::all_of(children.begin(), children.end(), is_met);
    case Condition::Kind::Or:
      return std::any_of(children.begin(), children.end(), is_met);
    case Condition::Kind::Not:
      return !matches(*children[0], item);
    case Condition::Kind::Compare:
      return matches_comparison(condition.comparator, Outcome(condition.operands[0], item),
                                Outcome(condition.operands[1], item));
    case Condition::Kind::Between:
      return matches_between(condition.operands, item);
    case Condition::Kind::In:
      return matches_in(condition.operands, item);
    case Condition::Kind::Test:
      break;
  }
  return matches_call(*condition.call, item);
}

}  // namespace stator::expr
