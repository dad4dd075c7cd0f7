// Numbers as people read them. What programs read has all digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

// 4,000 for 4000.
std::string grouped(std::uint64_t number);

// Decimals of capacity units, which come in halves, and of a balance of tokens.
inline constexpr int kUnitDecimals = 2;
inline constexpr int kTokenDecimals = 0;

// Rounded to at most `decimals`, without zeros at the end: 12.5, 1 for 1.004, 0 for -0.2.
std::string rounded(double number, int decimals);
// As above, for a number's text in JSON. Any other text stays as it is.
std::string rounded(std::string_view number, int decimals);

}  // namespace stator
