// The condition of `stator query --sk`, from the text that a user types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::client {

enum class SortOperator : std::uint8_t {
  Equal,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  BeginsWith,
  Between,
};

struct SortCondition {
  SortOperator op = SortOperator::Equal;
  std::string value;
  std::string upper = {};  // of Between
};

// Reads "begins_with 2015", "> 5", ">= 5", "< 5", "<= 5", "= 5", "between 1 9" or "between 1 and
// 9". The value is the rest of the text, with its inner spaces; of between, each value is a word or
// stands in quotes. The error is for people.
tl::expected<SortCondition, std::string> read_sort_condition(std::string_view text);

// Returns the condition as a KeyConditionExpression for the attribute `name`, a placeholder, and
// the values :s and, for between, :t.
std::string sort_expression(const SortCondition& condition, std::string_view name);

}  // namespace stator::client
