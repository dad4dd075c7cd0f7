// Bytes as hexadecimal digits, two for each.
#pragma once

#include <string>
#include <string_view>

namespace stator {

inline constexpr std::string_view kLowerHexDigits = "0123456789abcdef";
inline constexpr std::string_view kUpperHexDigits = "0123456789ABCDEF";

inline std::string hex_of(std::string_view bytes, std::string_view digits = kLowerHexDigits) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 0xF];
  }
  return text;
}

}  // namespace stator
