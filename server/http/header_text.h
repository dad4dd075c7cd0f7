// Helpers to parse header text.
#pragma once

#include <algorithm>
#include <string_view>

#include "protocol/text/ascii_case.h"
#include "protocol/text/hex.h"

namespace stator {

// REQUIRES: `lower_case` has no capital letters.
inline bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return text == lower_case ||  // the fast way for what clients send as is
         std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

inline std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the same time for all texts of one size.
inline bool is_same_secret(std::string_view text, std::string_view secret) {
  if (text.size() != secret.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) difference |= text[i] ^ secret[i];
  return difference == 0;
}

// Removes the text before `separator` (or all of it) from `rest` and returns it.
inline std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

}  // namespace stator
