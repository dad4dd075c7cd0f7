#include "protocol/access/policy_condition.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/access/language/names.h"
#include "protocol/access/language/wildcard.h"
#include "protocol/text/base64.h"

namespace stator::access {
namespace {

using Family = ConditionOperator::Family;
using Relation = ConditionOperator::Relation;
using Set = ConditionOperator::Set;

std::optional<bool> read_flag(std::string_view text) {
  if (is_same_key(text, "true")) return true;
  if (is_same_key(text, "false")) return false;
  return std::nullopt;
}

template <class Value>
bool stands_to(Relation relation, const Value& request, const Value& document) {
  switch (relation) {
    case Relation::Equal:
      return request == document;
    case Relation::Less:
      return request < document;
    case Relation::LessOrEqual:
      return request <= document;
    case Relation::Greater:
      return request > document;
    case Relation::GreaterOrEqual:
      return request >= document;
  }
  return false;
}

// A value of the request, read as an operator wants it.
class RequestValue {
 public:
  RequestValue(Family family, std::string_view text) : family_(family), text_(text) { read(); }

  // Whether it can be compared at all.
  bool is_readable() const { return is_readable_; }

  bool matches(const ConditionOperator& op, const ConditionValue& value,
               const RequestContext& context) const {
    if (const auto* text = std::get_if<TextTemplate>(&value)) return matches_text(*text, context);
    if (const auto* number = std::get_if<OrderedNumber>(&value))
      return stands_to(op.relation, number_, number->bytes);
    if (const auto* moment = std::get_if<Moment>(&value))
      return stands_to(op.relation, unix_us_, moment->unix_us);
    if (const auto* block = std::get_if<IpBlock>(&value)) return block->contains(address_);
    return false;
  }

 private:
  void read() {
    switch (family_) {
      case Family::Numeric:
        is_readable_ = keep(read_number(text_), number_);
        break;
      case Family::Date:
        is_readable_ = keep(read_moment(text_), unix_us_);
        break;
      case Family::Ip:
        is_readable_ = keep(read_ip_block(text_), address_);
        break;
      case Family::Arn:
        arn_ = split_arn(text_);
        is_readable_ = arn_.is_whole();
        break;
      case Family::Bool:
        is_readable_ = read_flag(text_).has_value();
        break;
      case Family::StringIgnoreCase:
        folded_ = folded(text_);
        break;
      case Family::String:
      case Family::StringLike:
      case Family::Binary:
      case Family::Null:
        break;
    }
  }

  template <class Value>
  static bool keep(std::optional<Value> found, Value& value) {
    if (!found) return false;
    value = *std::move(found);
    return true;
  }

  bool matches_text(const TextTemplate& value, const RequestContext& context) const {
    std::string buffer;
    const auto pattern = value.expand(context, buffer);
    if (!pattern) return false;
    switch (family_) {
      case Family::StringLike:
        return matches_pattern(*pattern, text_);
      case Family::Arn:
        return matches_arn(*pattern, arn_);
      case Family::StringIgnoreCase:
        return folded(*pattern) == folded_;
      case Family::Bool:
        return read_flag(*pattern) == read_flag(text_);
      default:
        return *pattern == text_;
    }
  }

  Family family_;
  std::string_view text_;
  bool is_readable_ = true;
  std::string folded_;
  std::string number_;
  std::int64_t unix_us_ = 0;
  IpBlock address_;
  ArnParts arn_;
};

bool holds_for_value(const Condition& condition, std::string_view text,
                     const RequestContext& context, bool is_deny) {
  const RequestValue value(condition.op.family, text);
  if (!value.is_readable()) return condition.op.is_negated && is_deny;
  const bool is_any = std::any_of(
      condition.values.begin(), condition.values.end(),
      [&](const ConditionValue& one) { return value.matches(condition.op, one, context); });
  return is_any != condition.op.is_negated;
}

// Null: whether the key's absence is one of the values.
bool holds_for_absence(const Condition& condition, bool is_absent) {
  return std::any_of(condition.values.begin(), condition.values.end(),
                     [&](const ConditionValue& one) { return std::get<bool>(one) == is_absent; });
}

// ForAnyValue asks for a value, with IfExists too.
bool holds_without_key(const ConditionOperator& op) {
  if (op.set == Set::ForAnyValue) return false;
  return op.is_if_exists || op.is_negated || op.set == Set::ForAllValues;
}

}  // namespace

tl::expected<ConditionValue, std::string> read_condition_value(const ConditionOperator& op,
                                                               std::string_view text,
                                                               bool has_variables) {
  const auto fault = [](std::string_view what) { return tl::unexpected(std::string(what)); };
  switch (op.family) {
    case Family::Numeric:
      if (auto number = read_number(text)) return OrderedNumber{*std::move(number)};
      return fault("a number");
    case Family::Date:
      if (const auto moment = read_moment(text)) return Moment{*moment};
      return fault("an ISO 8601 date or seconds since 1970");
    case Family::Ip:
      if (const auto block = read_ip_block(text)) return *block;
      return fault("an IP address or a CIDR block");
    case Family::Null:
      if (const auto flag = read_flag(text)) return *flag;
      return fault("true or false");
    case Family::Binary:
      if (check_base64(text) != Base64Error::None) return fault("Base64");
      break;
    case Family::Bool:
      if (!(has_variables && text.find("${") != std::string_view::npos) && !read_flag(text))
        return fault("true or false");
      break;
    default:
      break;
  }
  TextRules text_rules = op.text_rules();
  text_rules.has_variables &= has_variables;
  return TextTemplate(text, text_rules);
}

bool holds(const Condition& condition, const RequestContext& context, bool is_deny) {
  const ConditionOperator& op = condition.op;
  const ContextKey* key = context.find(condition.key);
  if (op.family == Family::Null) return holds_for_absence(condition, key == nullptr);
  if (key == nullptr) return holds_without_key(op);
  // A list is compared by set operators alone.
  if (op.set == Set::None && key->is_multi_valued) return false;
  if (key->is_unknowable) return op.is_negated && is_deny;
  const std::vector<std::string>& values = key->values;
  const auto holds_for = [&](const std::string& text) {
    return holds_for_value(condition, text, context, is_deny);
  };
  switch (op.set) {
    case Set::None:
      return values.size() == 1 && holds_for(values.front());
    case Set::ForAllValues:
      return std::all_of(values.begin(), values.end(), holds_for);
    case Set::ForAnyValue:
      return std::any_of(values.begin(), values.end(), holds_for);
  }
  return false;
}

}  // namespace stator::access
