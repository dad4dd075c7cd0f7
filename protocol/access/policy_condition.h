// One condition of a statement: an operator, a key and the values that it is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/access/language/condition_operator.h"
#include "protocol/access/language/value_text.h"
#include "protocol/access/request_context.h"
#include "protocol/access/text_template.h"

namespace stator::access {

// A value of the document, read as its operator wants it.
struct OrderedNumber {
  std::string bytes;  // of read_number()
};
struct Moment {
  std::int64_t unix_us = 0;
};
using ConditionValue = std::variant<TextTemplate, OrderedNumber, Moment, IpBlock, bool>;

struct Condition {
  std::string operator_name;  // as in the document
  ConditionOperator op;
  std::string key;
  std::vector<ConditionValue> values;
  std::vector<std::string> sources;  // the values as in the document
};

// Reads a value of an operator; `has_variables` by the document's Version. Error: what the text
// should be.
tl::expected<ConditionValue, std::string> read_condition_value(const ConditionOperator& op,
                                                               std::string_view text,
                                                               bool has_variables);

// Whether the condition holds. `is_deny` is the effect of its statement: a value that cannot be
// compared makes a statement that denies apply and one that allows not.
bool holds(const Condition& condition, const RequestContext& context, bool is_deny);

}  // namespace stator::access
