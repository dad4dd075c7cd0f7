// The forms in which a request names a function.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stator::triggers {

inline constexpr std::size_t kFunctionReferenceCharsMax = 256;
inline constexpr std::size_t kFunctionNameCharsMax = 64;

// Views of the request; empty: not given.
struct FunctionName {
  std::string_view region;
  std::string_view account_id;
  std::string_view name;
  std::string_view qualifier;

  // With what the request leaves out from the caller. A qualifier stays, and none is added.
  std::string arn(std::string_view callers_region, std::string_view callers_account) const;
};

// NAME, NAME:QUALIFIER, ACCOUNT:function:NAME[:QUALIFIER] or a whole ARN. Empty if it is none. Any
// Region is taken in an ARN, because this server takes any.
std::optional<FunctionName> parse_function_name(std::string_view text);

// The pattern that the service names when it refuses one.
std::string_view function_name_pattern();

}  // namespace stator::triggers
