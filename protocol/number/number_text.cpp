// Writes numbers as text. Rendering items with numbers spends most of its time here.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "protocol/number/number.h"
#include "protocol/number/number_bytes.h"

namespace stator {
namespace {

using namespace number_bytes;

constexpr auto kTwoDigits = [] {
  std::array<char, 200> text{};
  for (std::size_t i = 0; i < 100; ++i) {
    text[2 * i] = static_cast<char>('0' + i / 10);
    text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();

// Digits and point of an encoded, non-zero number.
struct DecimalText {
  std::array<char, 2 * kPairsMax> text;
  std::size_t first;  // skips a leading zero of the first pair
  std::size_t last;   // and cuts a trailing zero of the last pair
  int point;          // digits before the decimal point; if negative, zeros after it
  bool negative;
};

DecimalText decimal_text(std::string_view ordered_bytes) {
  const Pairs pairs = pairs_of(ordered_bytes);
  assert(pairs.count >= 1 && pairs.count <= kPairsMax);
  DecimalText decimal;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const unsigned pair = pairs[i];
    assert(pair < 100);
    std::memcpy(decimal.text.data() + 2 * i, kTwoDigits.data() + std::size_t{2} * pair, 2);
  }
  decimal.first = decimal.text[0] == '0' ? 1 : 0;
  decimal.last = 2 * pairs.count;
  if (decimal.text[decimal.last - 1] == '0') --decimal.last;
  decimal.point = 2 * pairs.before_point - static_cast<int>(decimal.first);
  decimal.negative = pairs.negative;
  return decimal;
}

// Writes the usual kind of number: digits before the point, and no zeros between digits and point.
// Validates and converts its pairs in one pass. nullptr if it is another kind of number or invalid;
// the bytes at `out` are then undefined.
char* write_usual_number(char* out, std::string_view ordered_bytes) {
  if (ordered_bytes.size() < 2) return nullptr;
  const Pairs pairs = pairs_of(ordered_bytes);
  const auto integer_pairs = static_cast<std::size_t>(pairs.before_point);
  // Fewer than kPairsMax pairs are never too many digits, and a negative number then has an end.
  const bool has_end = pairs.count + 1 != ordered_bytes.size();
  if (pairs.count >= kPairsMax || has_end != pairs.negative || pairs.before_point < 1 ||
      integer_pairs > pairs.count) {
    return nullptr;
  }
  const auto put = [&](unsigned pair) {
    std::memcpy(out, kTwoDigits.data() + std::size_t{2} * pair, 2);
    out += 2;
  };
  const unsigned first = pairs[0];
  if (first - 1 >= 99) return nullptr;
  if (pairs.negative) *out++ = '-';
  if (first >= 10) {
    put(first);
  } else {
    *out++ = static_cast<char>('0' + first);
  }
  unsigned last = first;
  for (std::size_t i = 1; i < pairs.count; ++i) {
    if (i == integer_pairs) *out++ = '.';
    last = pairs[i];
    if (last >= 100) return nullptr;
    put(last);
  }
  if (last == 0) return nullptr;
  const bool ends_in_zero = integer_pairs < pairs.count && last % 10 == 0;
  return ends_in_zero ? out - 1 : out;
}

char* write_unusual_number(char* out, std::string_view ordered_bytes) {
  if (ordered_bytes.size() == 1) {
    *out++ = '0';
    return out;
  }
  const DecimalText decimal = decimal_text(ordered_bytes);
  const char* const digits = decimal.text.data() + decimal.first;
  const char* const digits_end = decimal.text.data() + decimal.last;
  if (decimal.negative) *out++ = '-';
  if (decimal.point <= 0) {
    *out++ = '0';
    *out++ = '.';
    out = std::fill_n(out, -decimal.point, '0');
    return std::copy(digits, digits_end, out);
  }
  const std::ptrdiff_t zeros = decimal.point - (digits_end - digits);
  if (zeros >= 0) return std::fill_n(std::copy(digits, digits_end, out), zeros, '0');
  out = std::copy(digits, digits + decimal.point, out);
  *out++ = '.';
  return std::copy(digits + decimal.point, digits_end, out);
}

}  // namespace

char* write_number_text_if_valid(char* out, std::string_view ordered_bytes) {
  // Most numbers are 1 to 99.
  constexpr unsigned char kOnePair = kExponentBias + 1;
  if (ordered_bytes.size() == 2 && static_cast<unsigned char>(ordered_bytes[0]) == kOnePair) {
    const unsigned pair = static_cast<unsigned char>(ordered_bytes[1]) - 1U;
    if (pair - 1 >= 99) return nullptr;
    std::memcpy(out, kTwoDigits.data() + 2 * pair + (pair < 10 ? 1 : 0), 2);
    return out + (pair < 10 ? 1 : 2);
  }
  if (char* const end = write_usual_number(out, ordered_bytes)) return end;
  if (!is_valid_number_encoding(ordered_bytes)) return nullptr;
  return write_unusual_number(out, ordered_bytes);
}

void append_number_text(std::string& out, std::string_view ordered_bytes) {
  std::array<char, kNumberTextBytesMax> text;
  char* end = write_usual_number(text.data(), ordered_bytes);
  if (end == nullptr) end = write_unusual_number(text.data(), ordered_bytes);
  out.append(text.data(), end);
}

void append_number_text(std::string& out, const Number& number) {
  std::array<char, Number::kOrderedBytesMax> bytes;
  const std::size_t size = encode_number(number, bytes.data());
  append_number_text(out, std::string_view(bytes.data(), size));
}

}  // namespace stator
