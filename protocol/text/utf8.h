// UTF-8 validation and counting, per RFC 3629: no overlong forms, no surrogates, nothing above
// U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stator {

bool is_valid_utf8(std::string_view text);
// Length of valid UTF-8 in Unicode characters, the unit of the model's length limits.
std::size_t utf8_length(std::string_view text);
// The longest prefix of whole characters of valid UTF-8 with at most `bytes_max` bytes.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

// Calls `take` with each UTF-16 code unit of valid UTF-8.
template <class Take>
void for_each_utf16_unit(std::string_view text, Take&& take) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int following = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    std::uint32_t point = following == 0 ? first : first & (0x3FU >> following);
    for (int k = 1; k <= following; ++k)
      point =
          point << 6 | (static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0x3FU);
    i += static_cast<std::size_t>(following) + 1;
    if (point < 0x10000) {
      take(static_cast<std::uint16_t>(point));
    } else {
      take(static_cast<std::uint16_t>(0xD7C0 + (point >> 10)));
      take(static_cast<std::uint16_t>(0xDC00 + (point & 0x3FF)));
    }
  }
}

}  // namespace stator
