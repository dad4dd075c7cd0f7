// The parts of a number's ordered bytes (number.h). Internal to this folder.
#pragma once

#include <cstddef>
#include <string_view>

namespace stator::number_bytes {

inline constexpr std::size_t kPairsMax = 20;
inline constexpr unsigned char kZeroByte = 0x80;
inline constexpr int kExponentBias = 0xC0;
inline constexpr unsigned char kNegativeEnd = 0x66;

// The base-100 digits of a non-zero number; unspecified for bytes that are no number.
struct Pairs {
  const unsigned char* bytes;
  std::size_t count;
  bool negative;
  int before_point;

  unsigned operator[](std::size_t i) const { return negative ? 101u - bytes[i] : bytes[i] - 1u; }
};

// REQUIRES: not empty.
inline Pairs pairs_of(std::string_view ordered_bytes) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(ordered_bytes.data());
  const bool negative = bytes[0] < 0x80;
  std::size_t count = ordered_bytes.size() - 1;
  if (negative && count > 0 && bytes[count] == kNegativeEnd) --count;
  const int exponent = negative ? bytes[0] ^ 0xFF : bytes[0];
  return {bytes + 1, count, negative, exponent - kExponentBias};
}

}  // namespace stator::number_bytes
