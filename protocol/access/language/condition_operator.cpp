#include "protocol/access/language/condition_operator.h"

#include <algorithm>
#include <array>
#include <string>

#include "protocol/access/language/names.h"

namespace stator::access {
namespace {

using Family = ConditionOperator::Family;
using Relation = ConditionOperator::Relation;

struct OperatorRow {
  std::string_view name;  // in lower case
  Family family;
  Relation relation = Relation::Equal;
  bool is_negated = false;
};

constexpr auto kOperators = std::to_array<OperatorRow>({
    {"stringequals", Family::String},
    {"stringnotequals", Family::String, Relation::Equal, true},
    {"stringequalsignorecase", Family::StringIgnoreCase},
    {"stringnotequalsignorecase", Family::StringIgnoreCase, Relation::Equal, true},
    {"stringlike", Family::StringLike},
    {"stringnotlike", Family::StringLike, Relation::Equal, true},
    {"numericequals", Family::Numeric},
    {"numericnotequals", Family::Numeric, Relation::Equal, true},
    {"numericlessthan", Family::Numeric, Relation::Less},
    {"numericlessthanequals", Family::Numeric, Relation::LessOrEqual},
    {"numericgreaterthan", Family::Numeric, Relation::Greater},
    {"numericgreaterthanequals", Family::Numeric, Relation::GreaterOrEqual},
    {"dateequals", Family::Date},
    {"datenotequals", Family::Date, Relation::Equal, true},
    {"datelessthan", Family::Date, Relation::Less},
    {"datelessthanequals", Family::Date, Relation::LessOrEqual},
    {"dategreaterthan", Family::Date, Relation::Greater},
    {"dategreaterthanequals", Family::Date, Relation::GreaterOrEqual},
    {"bool", Family::Bool},
    {"binaryequals", Family::Binary},
    {"ipaddress", Family::Ip},
    {"notipaddress", Family::Ip, Relation::Equal, true},
    {"arnequals", Family::Arn},
    {"arnlike", Family::Arn},
    {"arnnotequals", Family::Arn, Relation::Equal, true},
    {"arnnotlike", Family::Arn, Relation::Equal, true},
    {"null", Family::Null},
});

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

TextRules ConditionOperator::text_rules() const {
  const bool is_text = family == Family::String || family == Family::StringIgnoreCase;
  const bool is_pattern = family == Family::StringLike || family == Family::Arn;
  return {is_pattern, is_text || is_pattern || family == Family::Bool};
}

std::optional<ConditionOperator> find_operator(std::string_view name) {
  const std::string lower = folded(name);
  std::string_view rest = lower;
  ConditionOperator found;
  if (take_prefix(rest, "forallvalues:")) {
    found.set = ConditionOperator::Set::ForAllValues;
  } else if (take_prefix(rest, "foranyvalue:")) {
    found.set = ConditionOperator::Set::ForAnyValue;
  }
  found.is_if_exists = take_suffix(rest, "ifexists");
  const auto* const row = std::find_if(kOperators.begin(), kOperators.end(),
                                       [&](const OperatorRow& one) { return one.name == rest; });
  if (row == kOperators.end()) return std::nullopt;
  const bool is_plain = found.set == ConditionOperator::Set::None && !found.is_if_exists;
  if (row->family == Family::Null && !is_plain) return std::nullopt;
  found.family = row->family;
  found.relation = row->relation;
  found.is_negated = row->is_negated;
  return found;
}

}  // namespace stator::access
