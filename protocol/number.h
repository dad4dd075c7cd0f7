// Number: the service's decimal, exact to 38 significant digits, magnitudes 1E-130 to 9.99…E+125
// and zero.
//
// Text exists only at the edges. Inside and on disk a number travels as *ordered bytes*: comparing
// the bytes (as unsigned, shorter first on a common prefix) compares the numbers, and equal numbers
// have equal bytes.
//
//   zero      80
//   positive  exponent:u8 = 0xC0 + pairs-before-the-point, then each base-100 digit + 1
//   negative  exponent inverted, then each base-100 digit as 101 - digit, then 66 when fewer than
//   20 digits
//
// The digits are aligned on the decimal point (an odd count of integer digits gets a leading 0),
// trailing zero pairs are dropped. At most 1 + 20 bytes. It is also the form that enters the
// partition hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/arena.h"

namespace stator {

enum class NumberError : std::uint8_t { None, NotANumber, Overflow, Underflow, TooManyDigits };

// The two rule sets differ for exponents on zero (Current tests their range) and for those beyond
// 32 bits.
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

// Ordered bytes, written to `out` (room for kOrderedBytesMax); returns their count.
std::size_t encode_number(const Number& number, char* out);
std::string_view encode_number(const Number& number, Arena& arena);
// Decodes our own bytes; asserts on malformed ones.
Number decode_number(std::string_view ordered_bytes);
// Whether bytes from outside our own process (a file, a fuzzer) are a canonical encoding.
bool is_valid_number_encoding(std::string_view ordered_bytes);

// Appends the canonical plain text: never an exponent, no needless zero.
void append_number_text(std::string& out, const Number& number);
void append_number_text(std::string& out, std::string_view ordered_bytes);
// The same into room of kNumberTextBytesMax; returns the end. The bytes may be none of ours:
// nullptr when is_valid_number_encoding() says so.
inline constexpr std::size_t kNumberTextBytesMax = 192;
char* write_number_text_if_valid(char* out, std::string_view ordered_bytes);

// The number without its fraction. Empty when it is negative, or 10^18 and more.
std::optional<std::uint64_t> whole_part(std::string_view ordered_bytes);

// Billed bytes of an encoded number (protocol/item_size.h has the rule).
std::size_t negative_number_size_bytes(std::string_view ordered_bytes);
inline std::size_t number_size_bytes(std::string_view ordered_bytes) {
  const bool is_negative = static_cast<unsigned char>(ordered_bytes[0]) < 0x80;
  return is_negative ? negative_number_size_bytes(ordered_bytes) : ordered_bytes.size();
}

// Exact sum. Overflow when the result needs more than 38 digits or leaves the range (the service
// reports both so); Underflow when its magnitude is too small. Never rounds.
NumberError add_numbers(const Number& a, const Number& b, Number& out);
Number negate(const Number& number);

}  // namespace stator
