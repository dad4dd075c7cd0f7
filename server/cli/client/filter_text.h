// The condition of `stator scan --filter`: an expression with values and names in place.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::client {

// A FilterExpression with the placeholders that the service demands.
struct FilterParts {
  std::string expression;
  std::string names;   // ExpressionAttributeNames as JSON
  std::string values;  // ExpressionAttributeValues as JSON; empty if there are none
};

// Replaces names of attributes, strings ('a' or "a", a doubled quote is a quote), numbers, true,
// false and null by placeholders. Names in `backquotes` may have any characters. The rest stays as
// it is, so the service finds the mistakes in it. The error is for people.
tl::expected<FilterParts, std::string> read_filter(std::string_view text);

}  // namespace stator::client
