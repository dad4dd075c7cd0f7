#include "engine/seams/random.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace stator {

std::string Random::uuid() {
  const std::array<std::uint64_t, 2> halves = {
      (next() & ~std::uint64_t{0xF000}) | 0x4000,                        // version 4
      (next() & ~(std::uint64_t{3} << 62)) | (std::uint64_t{2} << 62)};  // variant 1
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) text.push_back('-');
    text.push_back(kHexDigits[(halves[nibble / 16] >> (60 - 4 * (nibble % 16))) & 0xF]);
  }
  return text;
}

}  // namespace stator
