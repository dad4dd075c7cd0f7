// Bytes as hexadecimal digits, two for each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/text/ascii_case.h"

namespace stator {

inline constexpr std::string_view kLowerHexDigits = "0123456789abcdef";
inline constexpr std::string_view kUpperHexDigits = "0123456789ABCDEF";

inline std::string hex_of(std::string_view bytes, std::string_view digits = kLowerHexDigits) {
  std::string text(bytes.size() * 2, '\0');
  char* end = text.data();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *end++ = digits[byte >> 4];
    *end++ = digits[byte & 0xF];
  }
  return text;
}

// Returns -1 if `c` is no hexadecimal digit.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Undoes hex_of(); empty if the text is not made of pairs of digits.
inline std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace stator
