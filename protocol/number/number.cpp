// The grammar of a number's text, the ordered bytes and exact addition.
//
// A number of one to 38 digits fits 128 bits, but most fit 64 bits. So loops over digits work on
// 64-bit pieces and use the wide type only if they must. A position is the power of ten of the
// first significant digit: 120 has 2, 7 has 0, 0.015 has -2.
#include "protocol/number/number.h"

#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include "protocol/number/number_bytes.h"

namespace stator {
namespace {

using namespace number_bytes;

constexpr std::int64_t kPositionMax = 125;
constexpr std::int64_t kPositionMin = -130;
constexpr std::size_t kDigitsPerWord = 19;  // any 19 digits fit 64 bits
constexpr std::uint64_t kTen18 = 1'000'000'000'000'000'000u;

constexpr std::array<std::uint64_t, 20> make_powers() {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    powers[i] = power;
    if (i + 1 < powers.size()) power *= 10;
  }
  return powers;
}
constexpr auto kPowers = make_powers();

constexpr Uint128 wide_power(std::size_t exponent) {
  return exponent < kPowers.size() ? Uint128{kPowers[exponent]}
                                   : Uint128{kPowers[19]} * kPowers[exponent - 19];
}
constexpr Uint128 kTen38 = wide_power(38);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::uint64_t value) {
  if (value == 0) return 1;
  // 1233 / 4096 approximates log10(2): right, or one too small, for every bit width.
  const auto bits = static_cast<std::size_t>(64 - __builtin_clzll(value));
  const std::size_t guess = bits * 1233 >> 12;
  return guess + (value >= kPowers[guess] ? 1 : 0);
}

std::size_t count_digits(Uint128 value) {
  if (value >> 64 == 0) return count_digits(static_cast<std::uint64_t>(value));
  std::size_t count = 20;
  while (count < Number::kDigitsMax && value >= wide_power(count)) ++count;
  return count;
}

// The parts of a number's text; range not checked yet.
struct Spelling {
  std::string_view integer;   // digits before the point
  std::string_view fraction;  // digits after it
  std::int64_t exponent = 0;
  bool negative = false;
};

const char* skip_digits(const char* p, const char* end) {
  while (p != end && is_digit(*p)) ++p;
  return p;
}

// Reads the digits of an exponent as a signed 64-bit number; false if there are none or they do not
// fit.
bool read_exponent(const char* p, const char* end, std::int64_t& out) {
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t limit = negative ? kMax + 1 : kMax;
  std::uint64_t magnitude = 0;
  for (; p != end; ++p) {
    if (!is_digit(*p)) return false;
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (magnitude > (limit - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  out = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool read_spelling(std::string_view text, Spelling& out) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (p == end) return false;
  out.negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* start = p;
  p = skip_digits(p, end);
  out.integer = {start, static_cast<std::size_t>(p - start)};
  if (p != end && *p == '.') {
    start = ++p;
    p = skip_digits(p, end);
    out.fraction = {start, static_cast<std::size_t>(p - start)};
  }
  if (out.integer.empty() && out.fraction.empty()) return false;
  if (p == end) return true;
  return (*p == 'e' || *p == 'E') && read_exponent(p + 1, end, out.exponent);
}

// Both digit sequences as one, for the magnitude checks.
struct Significant {
  std::size_t first;  // index of the first digit that is not zero
  std::size_t last;   // one past the last
};

char digit_at(const Spelling& spelling, std::size_t index) {
  const std::size_t integers = spelling.integer.size();
  return index < integers ? spelling.integer[index] : spelling.fraction[index - integers];
}

Significant find_significant(const Spelling& spelling) {
  std::size_t last = spelling.integer.size() + spelling.fraction.size();
  while (last > 0 && digit_at(spelling, last - 1) == '0') --last;
  std::size_t first = 0;
  while (first < last && digit_at(spelling, first) == '0') ++first;
  return {first, last};
}

// Reads at most 19 of the digits, from `first` on.
std::uint64_t read_word(const Spelling& spelling, std::size_t first, std::size_t last) {
  std::uint64_t value = 0;
  for (; first < last; ++first) {
    value = value * 10 + static_cast<std::uint64_t>(digit_at(spelling, first) - '0');
  }
  return value;
}

Uint128 read_digits(const Spelling& spelling, Significant digits) {
  const std::size_t count = digits.last - digits.first;
  if (count <= kDigitsPerWord) return read_word(spelling, digits.first, digits.last);
  const std::size_t middle = digits.last - kDigitsPerWord;
  return Uint128{read_word(spelling, digits.first, middle)} * kPowers[kDigitsPerWord] +
         read_word(spelling, middle, digits.last);
}

// The range check of the classic rules, whose exponent and position are 32 bits wide. A decimal
// scale that does not fit makes the text no number. The position is computed modulo 2^32, so
// 1e2147483647 counts as too small.
NumberError check_classic_range(const Spelling& spelling, std::size_t leading_zeros, bool is_zero) {
  const auto fits = [](std::int64_t value) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  };
  if (!fits(spelling.exponent)) return NumberError::NotANumber;
  const auto fraction = static_cast<std::int64_t>(spelling.fraction.size());
  const std::int64_t scale = fraction - spelling.exponent;
  if (!fits(scale)) return NumberError::NotANumber;
  if (is_zero) return NumberError::None;
  const auto precision = static_cast<std::int64_t>(spelling.integer.size()) + fraction -
                         static_cast<std::int64_t>(leading_zeros);
  const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(precision - scale));
  if (wrapped > kPositionMax + 1) return NumberError::Overflow;
  if (wrapped < kPositionMin + 1) return NumberError::Underflow;
  return NumberError::None;
}

NumberError check_current_range(const Spelling& spelling, std::size_t leading_zeros, bool is_zero) {
  // A zero counts as one digit, the last one written: 0e126 is too large, 0.0e126 is not.
  const auto integers = static_cast<std::int64_t>(spelling.integer.size());
  const auto fraction = static_cast<std::int64_t>(spelling.fraction.size());
  const std::int64_t offset =
      is_zero ? -fraction : integers - 1 - static_cast<std::int64_t>(leading_zeros);
  std::int64_t position = 0;
  if (__builtin_add_overflow(spelling.exponent, offset, &position)) {
    return spelling.exponent > 0 ? NumberError::Overflow : NumberError::Underflow;
  }
  if (position > kPositionMax) return NumberError::Overflow;
  if (position < kPositionMin) return NumberError::Underflow;
  return NumberError::None;
}

// Removes trailing zeros and checks the range of a sum.
NumberError finish_sum(Number sum, Number& out) {
  if (sum.digits == 0) {
    out = Number{};
    return NumberError::None;
  }
  while (sum.digits % 10 == 0) {
    sum.digits /= 10;
    ++sum.exponent;
  }
  if (sum.digits >= kTen38) return NumberError::Overflow;
  const std::int64_t position =
      std::int64_t{sum.exponent} + static_cast<std::int64_t>(count_digits(sum.digits)) - 1;
  if (position > kPositionMax) return NumberError::Overflow;
  if (position < kPositionMin) return NumberError::Underflow;
  out = sum;
  return NumberError::None;
}

}  // namespace

NumberError parse_number(std::string_view text, NumberRules rules, Number& out) {
  Spelling spelling;
  if (!read_spelling(text, spelling)) return NumberError::NotANumber;
  const Significant digits = find_significant(spelling);
  const bool is_zero = digits.first == digits.last;
  const NumberError range = rules == NumberRules::Classic
                                ? check_classic_range(spelling, digits.first, is_zero)
                                : check_current_range(spelling, digits.first, is_zero);
  if (range != NumberError::None) return range;
  if (is_zero) {
    out = Number{};
    return NumberError::None;
  }
  // The service checks the magnitude before the number of digits (case PutItem-072).
  if (digits.last - digits.first > Number::kDigitsMax) return NumberError::TooManyDigits;
  out.digits = read_digits(spelling, digits);
  out.exponent = static_cast<std::int16_t>(spelling.exponent +
                                           static_cast<std::int64_t>(spelling.integer.size()) -
                                           static_cast<std::int64_t>(digits.last));
  out.negative = spelling.negative;
  return NumberError::None;
}

std::size_t encode_number(const Number& number, char* out) {
  auto* const bytes = reinterpret_cast<unsigned char*>(out);
  if (number.digits == 0) {
    bytes[0] = kZeroByte;
    return 1;
  }
  const std::size_t count = count_digits(number.digits);
  const int integer_digits = number.exponent + static_cast<int>(count);
  const int lead = integer_digits & 1;  // a 0 before an odd count aligns pairs with the point
  const int exponent = kExponentBias + (integer_digits + lead) / 2;
  assert(exponent >= 0x80 && exponent <= 0xFF);
  bytes[0] = static_cast<unsigned char>(number.negative ? exponent ^ 0xFF : exponent);

  const std::size_t padded = count + static_cast<std::size_t>(lead);
  const std::size_t pairs = (padded + 1) / 2;
  assert(pairs <= kPairsMax);
  const auto put = [&](std::size_t place, unsigned pair) {
    bytes[place] = static_cast<unsigned char>(number.negative ? 101 - pair : pair + 1);
  };
  Uint128 digits = number.digits;
  std::size_t place = pairs;
  if (padded % 2 != 0) {
    put(place--, static_cast<unsigned>(digits % 10) * 10);
    digits /= 10;
  }
  while (digits >> 64 != 0) {
    auto low = static_cast<std::uint64_t>(digits % kTen18);
    digits /= kTen18;
    for (int i = 0; i < 9; ++i, low /= 100) put(place--, static_cast<unsigned>(low % 100));
  }
  auto rest = static_cast<std::uint64_t>(digits);
  for (; place > 0; rest /= 100) put(place--, static_cast<unsigned>(rest % 100));
  if (!number.negative || pairs == kPairsMax) return 1 + pairs;
  bytes[1 + pairs] = kNegativeEnd;
  return 2 + pairs;
}

std::string_view encode_number(const Number& number, Arena& arena) {
  std::array<char, Number::kOrderedBytesMax> bytes;
  const std::size_t size = encode_number(number, bytes.data());
  return arena.copy(std::string_view(bytes.data(), size));
}

Number decode_number(std::string_view ordered_bytes) {
  assert(is_valid_number_encoding(ordered_bytes));
  if (static_cast<unsigned char>(ordered_bytes[0]) == kZeroByte && ordered_bytes.size() == 1) {
    return Number{};
  }
  const Pairs pairs = pairs_of(ordered_bytes);
  assert(pairs.count >= 1 && pairs.count <= kPairsMax);
  Number number;
  const std::size_t last = pairs.count - 1;
  for (std::size_t i = 0; i < last; ++i) number.digits = number.digits * 100 + pairs[i];
  number.exponent =
      static_cast<std::int16_t>(2 * (pairs.before_point - static_cast<int>(last) - 1));
  // Drops a trailing zero, with which there may be too many digits.
  if (pairs[last] % 10 == 0) {
    number.digits = number.digits * 10 + pairs[last] / 10;
    ++number.exponent;
  } else {
    number.digits = number.digits * 100 + pairs[last];
  }
  number.negative = pairs.negative;
  return number;
}

bool is_valid_number_encoding(std::string_view ordered_bytes) {
  if (ordered_bytes.empty() || ordered_bytes.size() > 1 + kPairsMax) return false;
  if (ordered_bytes.size() == 1) return static_cast<unsigned char>(ordered_bytes[0]) == kZeroByte;
  const Pairs pairs = pairs_of(ordered_bytes);
  const bool has_end = pairs.count + 1 != ordered_bytes.size();
  if (pairs.count == 0 || (pairs.negative && has_end != (pairs.count < kPairsMax))) return false;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    if (pairs[i] >= 100) return false;  // a byte below the smallest digit wraps around
  }
  const unsigned first = pairs[0];
  const unsigned last = pairs[pairs.count - 1];
  if (first == 0 || last == 0) return false;
  const std::size_t digits = 2 * pairs.count - (first < 10 ? 1 : 0) - (last % 10 == 0 ? 1 : 0);
  return digits <= Number::kDigitsMax;
}

std::optional<std::uint64_t> whole_part(std::string_view ordered_bytes) {
  constexpr int kPairsOf18Digits = 9;
  if (ordered_bytes.size() == 1) return 0;
  const Pairs pairs = pairs_of(ordered_bytes);
  if (pairs.negative || pairs.before_point > kPairsOf18Digits) return std::nullopt;
  std::uint64_t whole = 0;
  for (int i = 0; i < pairs.before_point; ++i) {
    const auto place = static_cast<std::size_t>(i);
    whole = whole * 100 + (place < pairs.count ? pairs[place] : 0);
  }
  return whole;
}

std::size_t negative_number_size_bytes(std::string_view ordered_bytes) {
  return 1 + pairs_of(ordered_bytes).count + 1;
}

NumberError add_numbers(const Number& a, const Number& b, Number& out) {
  if (a.digits == 0 || b.digits == 0) {
    out = a.digits == 0 ? b : a;
    return NumberError::None;
  }
  Number high = a;
  Number low = b;
  if (high.exponent < low.exponent) std::swap(high, low);
  const auto shift = static_cast<std::size_t>(high.exponent - low.exponent);
  if (shift > 0) {
    // `low` ends in a digit that is not zero and so does the sum, which must stay below 10^38 in
    // units of that digit. As |low| is below 10^38 too, no sum can do so when `high` is 2 * 10^38
    // or more.
    if (shift > Number::kDigitsMax ||
        __builtin_mul_overflow(high.digits, wide_power(shift), &high.digits) ||
        high.digits >= 2 * kTen38) {
      return NumberError::Overflow;
    }
    high.exponent = low.exponent;
  }
  Number sum = high;
  if (high.negative == low.negative) {
    sum.digits = high.digits + low.digits;  // below 3 * 10^38, which fits
  } else if (high.digits >= low.digits) {
    sum.digits = high.digits - low.digits;
  } else {
    sum.digits = low.digits - high.digits;
    sum.negative = low.negative;
  }
  return finish_sum(sum, out);
}

Number negate(const Number& number) {
  Number result = number;
  result.negative = number.digits != 0 && !number.negative;
  return result;
}

}  // namespace stator
