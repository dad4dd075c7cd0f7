// Texts with wildcards, matched in bounded time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace stator::access {

// What a text of a policy may have.
struct TextRules {
  bool has_wildcards = false;  // * and ? stand for other text
  bool has_variables = false;  // ${key}, ${key, 'default'}, ${*}, ${?}, ${$}
};

// The wildcards of a pattern, as bytes that no UTF-8 has, so a literal * or ? is an ordinary byte.
inline constexpr char kAnyText = '\xFF';
inline constexpr char kAnyCharacter = '\xFE';

// Whether a text has a byte that stands for a wildcard in patterns; it then is no UTF-8.
bool has_wildcard_bytes(std::string_view text);

// Whether the whole text fits the pattern. kAnyCharacter takes one character, not one byte.
// The time grows with the product of both lengths over 64, never faster.
bool matches_pattern(std::string_view pattern, std::string_view text);

// The six parts of an ARN; the last has the rest, colons included.
struct ArnParts {
  static constexpr std::size_t kCount = 6;
  std::array<std::string_view, kCount> parts;
  std::size_t count = 0;

  bool is_whole() const { return count == kCount; }
};
ArnParts split_arn(std::string_view text);

// Whether each of the six parts fits its own pattern. False if either is no ARN.
bool matches_arn(std::string_view pattern, const ArnParts& arn);

}  // namespace stator::access
