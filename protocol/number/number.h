// Number: the service's decimal, exact to 38 significant digits, magnitudes 1E-130 to 9.99…E+125
// and zero.
//
// Text appears only in requests and responses. In memory and on disk a number is stored as *ordered
// bytes*: comparing the bytes (as unsigned, shorter first on a common prefix) compares the numbers,
// and equal numbers have equal bytes.
//
//   zero      80
//   positive  exponent:u8 = 0xC0 + pairs-before-the-point, then each base-100 digit + 1
//   negative  exponent inverted, then each base-100 digit as 101 - digit, then 66 when fewer than
//   20 digits
//
// The digits are aligned on the decimal point (an odd count of integer digits gets a leading 0);
// trailing zero pairs are dropped. At most 1 + 20 bytes. The partition hash also uses this form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/memory/arena.h"

namespace stator {

enum class NumberError : std::uint8_t { None, NotANumber, Overflow, Underflow, TooManyDigits };

// The two rule sets differ for exponents of zero (Current checks their range) and for exponents
// beyond 32 bits.
enum class NumberRules : std::uint8_t { Current, Classic };

// Wide enough for 38 digits.
__extension__ using Uint128 = unsigned __int128;

// value = (negative ? -1 : 1) * digits * 10^exponent. Normalised: digits has no trailing decimal
// zero; zero is {0, 0, false}.
struct Number {
  Uint128 digits = 0;
  std::int16_t exponent = 0;
  bool negative = false;

  static constexpr std::size_t kDigitsMax = 38;
  static constexpr std::size_t kOrderedBytesMax = 21;

  bool operator==(const Number&) const = default;
};

// Reads the text of an `N`. On an error `out` is unchanged.
NumberError parse_number(std::string_view text, NumberRules rules, Number& out);

// Writes the ordered bytes to `out`, which has space for kOrderedBytesMax; returns their count.
std::size_t encode_number(const Number& number, char* out);
std::string_view encode_number(const Number& number, Arena& arena);
// REQUIRES: bytes written by encode_number().
Number decode_number(std::string_view ordered_bytes);
// Whether the bytes are a canonical encoding. For bytes from outside the process: a file, a fuzzer.
bool is_valid_number_encoding(std::string_view ordered_bytes);

// Appends the canonical plain text: no exponent, no needless zero.
void append_number_text(std::string& out, const Number& number);
void append_number_text(std::string& out, std::string_view ordered_bytes);
// Writes the canonical text to `out`, which has space for kNumberTextBytesMax; returns the end.
// Accepts any bytes: nullptr unless is_valid_number_encoding().
inline constexpr std::size_t kNumberTextBytesMax = 192;
char* write_number_text_if_valid(char* out, std::string_view ordered_bytes);

// The number without its fraction. Empty if it is negative, or 10^18 or more.
std::optional<std::uint64_t> whole_part(std::string_view ordered_bytes);

// Billed bytes of an encoded number (rule: protocol/values/item_size.h).
std::size_t negative_number_size_bytes(std::string_view ordered_bytes);
inline std::size_t number_size_bytes(std::string_view ordered_bytes) {
  const bool is_negative = static_cast<unsigned char>(ordered_bytes[0]) < 0x80;
  return is_negative ? negative_number_size_bytes(ordered_bytes) : ordered_bytes.size();
}

// Exact sum; never rounds. Overflow if the result needs more than 38 digits or is out of range (the
// service reports both as overflow); Underflow if its magnitude is too small.
NumberError add_numbers(const Number& a, const Number& b, Number& out);
Number negate(const Number& number);

}  // namespace stator
