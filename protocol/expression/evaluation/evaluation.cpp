// Evaluates conditions.
//
// An operand may be absent: its path leads nowhere, or it is the size() of what has none, such as a
// number. That makes the enclosing test false, except that an absent side makes `<>` true. NOT is
// plain negation.
//
// No term may cost more than a pass over the item, and most terms together not much more than that.
// So texts are searched in linear time, sets by binary search, and results about large lists or
// maps are remembered until the condition is evaluated.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/element_index.h"
#include "protocol/expression/evaluation/searched_texts.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/number/number.h"

namespace stator::expr {
namespace {

// Counts one unit for the first byte of a character, and one more if the character needs a
// surrogate pair.
std::size_t utf16_length(std::string_view utf8) {
  using Block = unsigned char __attribute__((vector_size(16)));
  constexpr std::size_t kRoundBytes = 16 * 127;  // byte counters rise by up to two
  std::size_t units = 0;
  while (utf8.size() >= sizeof(Block)) {
    const std::size_t size = std::min(utf8.size(), kRoundBytes) / sizeof(Block) * sizeof(Block);
    Block counts{};
    for (std::size_t i = 0; i < size; i += sizeof(Block)) {
      Block bytes;
      std::memcpy(&bytes, utf8.data() + i, sizeof bytes);
      counts -= (bytes & 0xC0) != 0x80;
      counts -= bytes >= 0xF0;
    }
    for (std::size_t i = 0; i < sizeof(Block); ++i) units += counts[i];
    utf8.remove_prefix(size);
  }
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    units +=
        static_cast<std::size_t>((byte & 0xC0u) != 0x80u) + static_cast<std::size_t>(byte >= 0xF0u);
  }
  return units;
}

// The result of an operand.
class Outcome {
 public:
  Outcome(const Operand& operand, const AttributeSource& source) {
    switch (operand.kind) {
      case Operand::Kind::Attribute:
        if (const auto found = source.find(operand.path)) set(*found);
        return;
      case Operand::Kind::Constant:
        set(operand.value);
        return;
      case Operand::Kind::Computed:
        break;
    }
    assert(operand.call->function == Function::Size);
    const Outcome measured(operand.call->operands[0], source);
    if (measured.is_present()) measure(measured.value());
  }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  bool is_present() const { return is_present_; }
  const Value& value() const {
    assert(is_present());
    return value_;
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
        return;
    }
  }

  void set(Value value) {
    value_ = value;
    is_present_ = true;
  }

  void set_number(std::size_t number) {
    Number normalised;
    while (number != 0 && number % 10 == 0) {
      number /= 10;
      ++normalised.exponent;
    }
    normalised.digits = number;
    set(Value::number({digits_.data(), encode_number(normalised, digits_.data())}));
  }

  bool is_present_ = false;
  Value value_;
  std::array<char, Number::kOrderedBytesMax> digits_;
};

// Whether the two have an order; sets `order` to negative, zero or positive as a is below, equal to
// or above b.
bool compare(const Value& a, const Value& b, int& order) {
  if (a.type() != b.type() || !is_key_type(a.type())) return false;
  order = a.bytes().compare(b.bytes());
  return true;
}

// The state of evaluating one condition.
struct Evaluation {
  const Condition& whole;
  const AttributeSource& source;
  KnownCollections known = {};
  SearchedTexts texts = {};
};

bool matches_comparison(Comparator comparator, const Outcome& left, const Outcome& right,
                        KnownCollections& known) {
  if (!left.is_present() || !right.is_present()) return comparator == Comparator::NotEqual;
  const Value& a = left.value();
  const Value& b = right.value();
  int order = 0;
  switch (comparator) {
    case Comparator::Equal:
      return known.are_equal(a, b);
    case Comparator::NotEqual:
      return !known.are_equal(a, b);
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

bool matches_between(std::span<const Operand> operands, const AttributeSource& source) {
  const Outcome tested(operands[0], source);
  const Outcome lower(operands[1], source);
  const Outcome upper(operands[2], source);
  if (!tested.is_present() || !lower.is_present() || !upper.is_present()) return false;
  int order = 0;
  return compare(tested.value(), lower.value(), order) && order >= 0 &&
         compare(tested.value(), upper.value(), order) && order <= 0;
}

bool matches_in(std::span<const Operand> operands, Evaluation& evaluation) {
  const Outcome tested(operands[0], evaluation.source);
  if (!tested.is_present()) return false;
  return std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& operand) {
    const Outcome candidate(operand, evaluation.source);
    return candidate.is_present() && evaluation.known.are_equal(candidate.value(), tested.value());
  });
}

bool begins_with(const Value& value, const Value& prefix) {
  if (value.type() != prefix.type()) return false;
  if (value.type() != Type::S && value.type() != Type::B) return false;
  return value.bytes().starts_with(prefix.bytes());
}

bool is_text(const Value& value) { return value.type() == Type::S || value.type() == Type::B; }

// Whether both operands refer to the same text. `b` refers to a text.
bool is_same_text(const Operand& a, const Operand& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Operand::Kind::Attribute) return is_same_path(a.path, b.path);
  return a.kind == Operand::Kind::Constant && is_text(a.value) &&
         a.value.bytes().data() == b.value.bytes().data();
}

// Adds the strings that the condition looks for in the text of `searched`.
void add_wanted(const Condition& condition, const Operand& searched, const AttributeSource& source,
                std::vector<std::string_view>& all) {
  for (const Condition* child : condition.children) add_wanted(*child, searched, source, all);
  if (condition.kind != Condition::Kind::Test) return;
  const Call& call = *condition.call;
  if (call.function != Function::Contains || !is_same_text(call.operands[0], searched)) return;
  const Outcome wanted(call.operands[1], source);
  if (wanted.is_present() && is_text(wanted.value())) all.push_back(wanted.value().bytes());
}

// `searched` is the operand of `value`.
bool contains(const Operand& searched, const Value& value, const Value& wanted,
              Evaluation& evaluation) {
  switch (value.type()) {
    case Type::S:
    case Type::B:
      return wanted.type() == value.type() &&
             evaluation.texts.contains(value.bytes(), wanted.bytes(), [&] {
               std::vector<std::string_view> all;
               add_wanted(evaluation.whole, searched, evaluation.source, all);
               return all;
             });
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
    case Type::L:
      return evaluation.known.contains(value, wanted);
    case Type::N:
    case Type::Bool:
    case Type::Null:
    case Type::M:
      break;
  }
  return false;
}

bool matches_contains(const Call& call, Evaluation& evaluation) {
  const AttributeSource& source = evaluation.source;
  const Outcome wanted(call.operands[1], source);
  if (!wanted.is_present()) return false;
  if (call.operands[0].kind == Operand::Kind::Attribute) {
    const auto found = source.list_contains(call.operands[0].path, wanted.value());
    if (found) return *found;
  }
  const Outcome searched(call.operands[0], source);
  return searched.is_present() &&
         contains(call.operands[0], searched.value(), wanted.value(), evaluation);
}

bool matches_call(const Call& call, Evaluation& evaluation) {
  if (call.function == Function::Contains) return matches_contains(call, evaluation);
  const AttributeSource& source = evaluation.source;
  const Outcome first(call.operands[0], source);
  if (call.function == Function::AttributeExists) return first.is_present();
  if (call.function == Function::AttributeNotExists) return !first.is_present();
  const Outcome second(call.operands[1], source);
  if (!first.is_present() || !second.is_present()) return false;
  switch (call.function) {
    case Function::AttributeType:
      return find_type(second.value().bytes()) == first.value().type();
    case Function::BeginsWith:
      return begins_with(first.value(), second.value());
    case Function::Contains:
    case Function::AttributeExists:
    case Function::AttributeNotExists:
    case Function::Size:
    case Function::IfNotExists:
    case Function::ListAppend:
    case Function::Unknown:
      break;
  }
  assert(false);
  return false;
}

bool is_met(const Condition& condition, Evaluation& evaluation);

// Evaluates each child once, however often its truth is compared.
bool matches_truth(const Condition& condition, Evaluation& evaluation) {
  const bool truth = is_met(*condition.children[0], evaluation);
  const auto is_same_operand = [&](const Operand& operand) {
    const Outcome candidate(operand, evaluation.source);
    return candidate.is_present() && candidate.value().type() == Type::Bool &&
           candidate.value().truth() == truth;
  };
  const auto is_same_child = [&](const Condition* child) {
    return is_met(*child, evaluation) == truth;
  };
  return std::any_of(condition.operands.begin(), condition.operands.end(), is_same_operand) ||
         std::any_of(condition.children.begin() + 1, condition.children.end(), is_same_child);
}

bool is_met(const Condition& condition, Evaluation& evaluation) {
  const AttributeSource& source = evaluation.source;
  const auto child_is_met = [&](const Condition* child) { return is_met(*child, evaluation); };
  const auto children = condition.children;
  switch (condition.kind) {
    case Condition::Kind::And:
      return std::all_of(children.begin(), children.end(), child_is_met);
    case Condition::Kind::Or:
      return std::any_of(children.begin(), children.end(), child_is_met);
    case Condition::Kind::Not:
      return !child_is_met(children[0]);
    case Condition::Kind::Compare:
      return matches_comparison(condition.comparator, Outcome(condition.operands[0], source),
                                Outcome(condition.operands[1], source), evaluation.known);
    case Condition::Kind::Between:
      return matches_between(condition.operands, source);
    case Condition::Kind::In:
      return matches_in(condition.operands, evaluation);
    case Condition::Kind::Truth:
      return matches_truth(condition, evaluation);
    case Condition::Kind::Test:
      break;
  }
  return matches_call(*condition.call, evaluation);
}

}  // namespace

bool matches(const Condition& condition, const AttributeSource& source) {
  Evaluation evaluation{condition, source};
  return is_met(condition, evaluation);
}

bool matches(const Condition& condition, Item item) { return matches(condition, ItemSource(item)); }

std::optional<Value> ItemSource::find(Path path) const {
  const Value* const value = find_value_at(item_, path);
  if (value == nullptr) return std::nullopt;
  return *value;
}

}  // namespace stator::expr
