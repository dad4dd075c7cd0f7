// Numbers: what holds for all of them; grammar, limits, bytes and sums are in
// tests/cases/protocol/numbers.cases.
#include "protocol/number/number.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

constexpr auto kNone = NumberError::None;

std::string text_of(const Number& number) {
  std::string out = "x";  // it appends
  append_number_text(out, number);
  return out.substr(1);
}

std::string bytes_of(const Number& number) {
  std::string bytes(Number::kOrderedBytesMax, '\0');
  bytes.resize(encode_number(number, bytes.data()));
  return bytes;
}

Number number_of(std::string_view text) {
  Number number;
  CAPTURE(std::string(text));
  REQUIRE(parse_number(text, NumberRules::Current, number) == kNone);
  return number;
}

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// What the number is, independent of the code under test: a sign and plain digits with as many
// places before and behind the point as the range needs. Compares as text for one sign.
struct Plain {
  bool negative = false;
  std::string digits;
};
constexpr std::size_t kBefore = 130;
constexpr std::size_t kBehind = 170;

Plain plain_of(std::string_view canonical) {
  Plain plain;
  if (!canonical.empty() && canonical[0] == '-') {
    plain.negative = true;
    canonical.remove_prefix(1);
  }
  const std::size_t point = std::min(canonical.find('.'), canonical.size());
  const std::string integer(canonical.substr(0, point));
  const std::string fraction(point < canonical.size() ? canonical.substr(point + 1) : "");
  plain.digits = std::string(kBefore - integer.size(), '0') + integer + fraction +
                 std::string(kBehind - fraction.size(), '0');
  return plain;
}

int compare(const Plain& a, const Plain& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  const int order = a.digits.compare(b.digits);
  const int sign = order < 0 ? -1 : order > 0 ? 1 : 0;
  return a.negative ? -sign : sign;
}

// Random texts of every length, magnitude and sign, many of them close to each other.
class RandomNumbers {
 public:
  std::string next() {
    const std::size_t count = 1 + random_() % 38;
    std::string digits;
    for (std::size_t i = 0; i < count; ++i) digits += digit();
    if (digits[0] == '0') digits[0] = '1';
    if (random_() % 4 == 0) digits = std::string(count, random_() % 2 == 0 ? '9' : '1');
    const int span = random_() % 2 == 0 ? 4 : 255;
    const int position =
        span == 4 ? static_cast<int>(random_() % 5) - 2 : static_cast<int>(random_() % 256) - 130;
    const int exponent = position - static_cast<int>(count) + 1;
    return (random_() % 2 == 0 ? "-" : "") + digits + "e" + std::to_string(exponent);
  }
  std::uint64_t raw() { return random_(); }

 private:
  char digit() { return static_cast<char>('0' + random_() % 10); }
  std::mt19937_64 random_{20120810};
};

TEST_CASE("number: text, number and bytes agree for random numbers", "[protocol]") {
  RandomNumbers random;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = random.next();
    CAPTURE(text);
    const Number number = number_of(text);
    const std::string bytes = bytes_of(number);
    REQUIRE(is_valid_number_encoding(bytes));
    REQUIRE(decode_number(bytes) == number);
    const std::string canonical = text_of(number);
    REQUIRE(canonical.find_first_of("eE+") == std::string::npos);
    REQUIRE(number_of(canonical) == number);
    Number classic;
    REQUIRE(parse_number(text, NumberRules::Classic, classic) == kNone);
    REQUIRE(classic == number);
    std::string from_bytes;
    append_number_text(from_bytes, bytes);
    REQUIRE(from_bytes == canonical);
  }
}

TEST_CASE("number: bytes compare as the numbers do", "[protocol]") {
  RandomNumbers random;
  struct Pair {
    Plain plain;
    std::string bytes;
  };
  std::vector<Pair> pairs;
  const auto add = [&](const std::string& text) {
    const Number number = number_of(text);
    pairs.push_back({plain_of(text_of(number)), bytes_of(number)});
  };
  for (const char* text :
       {"0", "1", "-1", "1e-130", "-1e-130", "1e125", "-1e125", "10", "-10", "9.9", "-9.9", "1.1",
        "-1.1", "100", "101", "-100", "-101", "0.1", "0.01"}) {
    add(text);
  }
  while (pairs.size() < 600) add(random.next());
  for (const Pair& a : pairs) {
    for (const Pair& b : pairs) {
      const int order = a.bytes.compare(b.bytes);
      const int sign = order < 0 ? -1 : order > 0 ? 1 : 0;
      if (sign != compare(a.plain, b.plain)) {
        FAIL("order of " << hex_of(a.bytes) << " and " << hex_of(b.bytes));
      }
    }
  }
}

std::optional<std::string> text_if_valid(const std::string& bytes) {
  std::array<char, kNumberTextBytesMax> text;
  const char* const end = write_number_text_if_valid(text.data(), bytes);
  if (end == nullptr) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(end - text.data()));
}

TEST_CASE("number: of random bytes only canonical encodings are valid", "[protocol]") {
  RandomNumbers random;
  int valid = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes = bytes_of(number_of(random.next()));
    const std::size_t place = random.raw() % bytes.size();
    if (i % 3 == 0) bytes[place] = static_cast<char>(random.raw());
    if (i % 7 == 0) bytes.resize(random.raw() % 23, static_cast<char>(random.raw()));
    const auto text = text_if_valid(bytes);
    REQUIRE(text.has_value() == is_valid_number_encoding(bytes));
    if (!text) continue;
    ++valid;
    REQUIRE(bytes_of(decode_number(bytes)) == bytes);
    REQUIRE(bytes_of(number_of(*text)) == bytes);
  }
  CHECK(valid > 100'000);
}

TEST_CASE("number: refuses encodings that are not canonical", "[protocol]") {
  using namespace std::string_literals;
  for (const std::string& bytes : {""s,
                                   "\xC1"s,
                                   "\x3E"s,
                                   "\x80\x80\x80"s,
                                   "\xC1\x01"s,
                                   "\xC1\x02\x01"s,
                                   "\xC1\x65"s,
                                   "\xC1\x00"s,
                                   "\xC1\xFF"s,
                                   "\x3E\x66"s,
                                   "\x3E\x64"s,
                                   "\x3E\x64\x66\x66"s,
                                   "\x3E\x65\x66"s,
                                   "\x3E\x64\x65\x66"s,
                                   "\x3E\x01\x66"s,
                                   "\x3E\x00\x66"s,
                                   "\xC1\x02\x66"s,
                                   "\xC1" + std::string(20, '\x0C'),
                                   "\xC1" + std::string(21, '\x0B'),
                                   "\x3E" + std::string(20, '\x5A') + "\x66"}) {
    CAPTURE(hex_of(bytes));
    CHECK_FALSE(is_valid_number_encoding(bytes));
    CHECK_FALSE(text_if_valid(bytes).has_value());
  }
  CHECK(is_valid_number_encoding("\x80"));
}

TEST_CASE("number: sums of random numbers undo themselves", "[protocol]") {
  RandomNumbers random;
  int sums = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Number a = number_of(random.next());
    const Number b = number_of(random.next());
    Number sum;
    if (add_numbers(a, b, sum) != kNone) continue;
    ++sums;
    Number back;
    REQUIRE(add_numbers(sum, negate(b), back) == kNone);
    REQUIRE(back == a);
    REQUIRE(is_valid_number_encoding(bytes_of(sum)));
    // Adding something positive makes a number larger.
    REQUIRE((bytes_of(sum) > bytes_of(a)) == !b.negative);
  }
  CHECK(sums > 500);
}

TEST_CASE("number: negates all but zero", "[protocol]") {
  CHECK(text_of(negate(number_of("1.5"))) == "-1.5");
  CHECK(text_of(negate(number_of("-1.5"))) == "1.5");
  CHECK(negate(Number{}) == Number{});
}

}  // namespace
}  // namespace stator
