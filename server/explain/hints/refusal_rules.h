// The text of each rule, as data.
#pragma once

#include <string_view>

#include "protocol/errors/rule.h"

namespace stator {

// "$1" stands for the rule's first value (protocol/errors/rule.h).
struct RefusalRule {
  Rule rule;
  std::string_view text;
  std::string_view attribute = {};  // empty: the place that the error names
  std::string_view expected = {};
  std::string_view given = {};
};

const RefusalRule& refusal_rule(Rule rule);

}  // namespace stator
