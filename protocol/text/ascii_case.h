// Letters of ASCII without regard to their case. Other bytes stay as they are.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace stator {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  return lower;
}

}  // namespace stator
