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

// A line of a statement's Condition: {"StringLike":{"dynamodb:LeadingKeys":[…]}}.
struct ConditionLine {
  std::string_view test;
  std::string_view key;
  Texts values;
  bool is_list = true;  // otherwise there is one value
};
std::vector<ConditionLine> condition_lines(const AdvisedCondition& condition);

// The value of a statement's Condition, if it has lines.
void write_condition(JsonWriter& json, const std::vector<ConditionLine>& lines);

// {"Version":…,"Statement":[…]}
void write_document(JsonWriter& json, const AdvisedPolicy& policy);

}  // namespace stator::access
