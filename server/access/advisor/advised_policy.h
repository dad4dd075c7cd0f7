// The statements that an advisor proposes, and their document.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/advisor/tenancy.h"

namespace stator {
class JsonWriter;
}

namespace stator::access {

using Texts = std::set<std::string>;

// When an advised statement allows.
struct AdvisedCondition {
  std::optional<TenantPattern> leading_keys = {};
  Texts enclosing = {};  // the transactions in which alone the actions were used; empty: any way
  // The names and the kinds of answers that were asked for; empty: they do not matter.
  Texts attributes = {};
  Texts selects = {};
  Texts return_values = {};

  auto operator<=>(const AdvisedCondition&) const = default;
};

struct AdvisedStatement {
  Texts actions;
  Texts resources;
  AdvisedCondition condition;
};

struct AdvisedPolicy {
  std::string principal;  // ARN
  std::vector<AdvisedStatement> statements;
};

// A line of a statement's Condition: {"StringLike":{"dynamodb:LeadingKeys":[…]}}. Lines of one test
// follow each other.
struct ConditionLine {
  std::string_view test;
  std::string_view key;
  Texts values;
  bool is_list = true;  // otherwise there is one value
};
std::vector<ConditionLine> condition_lines(const AdvisedCondition& condition);

// The value of a statement's Condition, if it has lines.
void write_condition(JsonWriter& json, const std::vector<ConditionLine>& lines);

// The text as a value of a policy, where ${ begins a variable; empty if policies cannot have its
// characters.
std::optional<std::string> policy_value(std::string_view text);

// {"Version":…,"Statement":[…]}
void write_document(JsonWriter& json, const AdvisedPolicy& policy);

}  // namespace stator::access
