#include "streams/sequence_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace stator {
namespace {

constexpr std::size_t kLowDigits = 20;

std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  static_cast<void>(end);
  return failure == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

char* write_sequence_number(char* out, std::uint64_t number) {
  // The text of 2^64 - 1 has 20 digits too.
  char* const low = std::to_chars(out, out + kLowDigits, number).ptr;
  const std::ptrdiff_t digits = low - out;
  std::fill_n(low, kLowDigits, '0');
  // Converts again instead of copying: reading back bytes just written in smaller pieces would
  // stall.
  return std::to_chars(low + kLowDigits - digits, low + kLowDigits, number).ptr;
}

std::string sequence_number(std::uint64_t number) {
  std::array<char, kSequenceNumberBytesMax> text;
  return {text.data(), write_sequence_number(text.data(), number)};
}

std::optional<std::uint64_t> position_of(std::string_view text, bool after) {
  constexpr auto kHighest = std::numeric_limits<std::uint64_t>::max();
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return std::nullopt;
  if (text.size() <= kLowDigits) return 0;  // less than the text of 1
  const auto high = number_in(text.substr(0, text.size() - kLowDigits));
  if (!high || *high == kHighest) return kHighest;
  // 20 digits may exceed 64 bits, and then exceed the counter.
  const auto low = number_in(text.substr(text.size() - kLowDigits));
  const bool is_below = low && (after ? *low < *high : *low <= *high);
  return is_below ? *high : *high + 1;
}

}  // namespace stator
