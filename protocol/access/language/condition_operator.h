// The operators of conditions, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/access/language/wildcard.h"

namespace stator::access {

struct ConditionOperator {
  enum class Family : std::uint8_t {
    String,
    StringIgnoreCase,
    StringLike,
    Numeric,
    Date,
    Bool,
    Binary,
    Ip,
    Arn,
    Null,
  };
  // Of the request's value to the document's.
  enum class Relation : std::uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual };
  enum class Set : std::uint8_t { None, ForAllValues, ForAnyValue };

  Family family = Family::String;
  Relation relation = Relation::Equal;
  bool is_negated = false;  // StringNotEquals, NotIpAddress, …
  bool is_if_exists = false;
  Set set = Set::None;

  // What the texts of the values may have.
  TextRules text_rules() const;
};

// Reads a name such as ForAllValues:StringNotLikeIfExists, in any case. Empty if there is no such
// operator.
std::optional<ConditionOperator> find_operator(std::string_view name);

}  // namespace stator::access
