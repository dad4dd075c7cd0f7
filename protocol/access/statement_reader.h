// Reads statements of policies from JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/access/statement.h"
#include "protocol/json/json_tree.h"

namespace stator::access {

// What is wrong with a statement, and where in it.
struct StatementFault {
  std::string text;
  std::string place;  // "Condition.StringLike"; empty: the statement
};

struct StatementRules {
  PolicyKind kind = PolicyKind::Identity;
  bool has_variables = false;  // by the document's Version
};

tl::expected<Statement, StatementFault> read_statement(const JsonNode& node,
                                                       const StatementRules& rules);

// The name that two members share, if any.
std::optional<std::string_view> repeated_member(const JsonNode& object);

// Reads the conditions of a statement, into it.
std::optional<StatementFault> read_conditions(const JsonNode& node, const StatementRules& rules,
                                              Statement& statement);

// A value, or the elements of a list of values.
std::span<const JsonNode> values_in(const JsonNode& node);

}  // namespace stator::access
