// Numbers: the service's grammar and limits, the order and shape of the bytes, exact sums.
#include "protocol/number.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

constexpr auto kNone = NumberError::None;
constexpr auto kBad = NumberError::NotANumber;
constexpr auto kOver = NumberError::Overflow;
constexpr auto kUnder = NumberError::Underflow;
constexpr auto kDigits = NumberError::TooManyDigits;

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

TEST_CASE("number: accepts what the service accepts and stores one plain form", "[protocol]") {
  struct Row {
    const char* text;
    const char* stored;
  };
  const Row rows[] = {
      {"+5", "5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1.e5", "100000"},
      {"1E5", "100000"},
      {"1e+5", "100000"},
      {"-0", "0"},
      {"00042", "42"},
      {"1.50", "1.5"},
      {"1e2", "100"},
      {"+3", "3"},
      {"007", "7"},
      {"1.10", "1.1"},
      {"1.0e-1", "0.1"},
      {"-0.0", "0"},
      {"0e5", "0"},
      {"1e-20", "0.00000000000000000001"},
      {"0001.23", "1.23"},
      {"0", "0"},
      {"+0", "0"},
      {"0.000", "0"},
      {"-.5e1", "-5"},
      {"-12.340e-2", "-0.1234"},
      {"1000", "1000"},
      {"1e3", "1000"},
      {"0.001e3", "1"},
      {"100e-2", "1"},
      {"1e0", "1"},
      {"1e-0", "1"},
      {"1e00000000000000000000000000002", "100"},
      {"99999999999999999999", "99999999999999999999"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616"},
      {"12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
      {"-99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"},
      {"0.12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678"},
      {"1234567890123456789.0123456789012345678", "1234567890123456789.0123456789012345678"},
  };
  for (const Row& row : rows) {
    for (const NumberRules rules : {NumberRules::Current, NumberRules::Classic}) {
      CAPTURE(row.text);
      Number number;
      REQUIRE(parse_number(row.text, rules, number) == kNone);
      CHECK(text_of(number) == row.stored);
    }
  }
}

TEST_CASE("number: refuses what is not a number", "[protocol]") {
  for (const char* text : {"",
                           " ",
                           " 5",
                           "5 ",
                           "1+2",
                           "1.2.3",
                           "+e2",
                           "1e",
                           "--1",
                           "0x10",
                           "NaN",
                           "Infinity",
                           "1_000",
                           "abc",
                           "+",
                           "-",
                           ".",
                           "-.",
                           "e5",
                           ".e5",
                           "1e+",
                           "1e-",
                           "1e5.0",
                           "1e5 ",
                           "1,5",
                           "+-1",
                           "1-",
                           "1e++5",
                           "1ee5",
                           "5e 3",
                           "\t5",
                           "5\n",
                           "-NaN",
                           "1f",
                           "1d",
                           "\xD9\xA1",
                           "1e9223372036854775808",
                           "1e-9223372036854775809",
                           "0e99999999999999999999"}) {
    CAPTURE(text);
    Number number{7, 0, false};
    CHECK(parse_number(text, NumberRules::Current, number) == kBad);
    CHECK(parse_number(text, NumberRules::Classic, number) == kBad);
    CHECK(number == Number{7, 0, false});
  }
  Number number;
  CHECK(parse_number(std::string_view("1\0", 2), NumberRules::Current, number) == kBad);
}

TEST_CASE("number: checks magnitude, then digits, in both rule sets", "[protocol]") {
  struct Row {
    std::string text;
    NumberError current;
    NumberError classic;
  };
  const Row rows[] = {
      {"1e126", kOver, kOver},
      {"-1e126", kOver, kOver},
      {"1e125", kNone, kNone},
      {"10e124", kNone, kNone},
      {"10e125", kOver, kOver},
      {"0.1e126", kNone, kNone},
      {"0.1e127", kOver, kOver},
      {"9.9999999999999999999999999999999999999e125", kNone, kNone},
      {"1e-130", kNone, kNone},
      {"1e-131", kUnder, kUnder},
      {"-1e-131", kUnder, kUnder},
      {"0.1e-129", kNone, kNone},
      {"0.1e-130", kUnder, kUnder},
      {"9.9e-131", kUnder, kUnder},
      {"1.5e-130", kNone, kNone},
      {"1.0000000000000000000000000000000000001e-130", kNone, kNone},
      {std::string(127, '1'), kOver, kOver},  // before the count of digits: case PutItem-072
      {std::string(126, '1'), kDigits, kDigits},
      {"1" + std::string(125, '0'), kNone, kNone},
      {"1" + std::string(126, '0'), kOver, kOver},
      {"0." + std::string(129, '0') + "1", kNone, kNone},
      {"0." + std::string(130, '0') + "1", kUnder, kUnder},
      {std::string(500, '0') + "1." + std::string(500, '0'), kNone, kNone},
      {std::string(39, '1'), kDigits, kDigits},
      {std::string(38, '1'), kNone, kNone},
      {std::string(38, '1') + "0", kNone, kNone},
      {"0." + std::string(39, '1'), kDigits, kDigits},
      {"1." + std::string(37, '0') + "1", kDigits, kDigits},
      {"1." + std::string(36, '0') + "1", kNone, kNone},
      {"1" + std::string(37, '0') + "1e-200", kUnder, kUnder},
      {"0e126", kOver, kNone},
      {"0e-131", kUnder, kNone},
      {"0e125", kNone, kNone},
      {"0e-130", kNone, kNone},
      {"0.0e126", kNone, kNone},
      {"0.0e127", kOver, kNone},
      {"000e126", kOver, kNone},
      {"0.0e-130", kUnder, kNone},
      {"0.0e-129", kNone, kNone},
      {"-0e126", kOver, kNone},
      {"1e2147483648", kOver, kBad},
      {"1e-2147483649", kUnder, kBad},
      {"1e2147483647", kOver, kUnder},
      {"0.1e2147483647", kOver, kOver},
      {"10e2147483647", kOver, kUnder},
      {"1e-2147483647", kUnder, kUnder},
      {"1e-2147483648", kUnder, kBad},
      {"1.0e-2147483647", kUnder, kBad},
      {"0e2147483648", kOver, kBad},
      {"1e9223372036854775807", kOver, kBad},
      {"1e-9223372036854775808", kUnder, kBad},
      {"10e9223372036854775807", kOver, kBad},
      {"0.01e-9223372036854775808", kUnder, kBad},
      {"0.0e-9223372036854775808", kUnder, kBad},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Number number;
    CHECK(parse_number(row.text, NumberRules::Current, number) == row.current);
    CHECK(parse_number(row.text, NumberRules::Classic, number) == row.classic);
  }
}

TEST_CASE("number: encodes to the documented bytes", "[protocol]") {
  struct Row {
    const char* text;
    const char* hex;
  };
  const Row rows[] = {
      {"0", "80"},
      {"1", "c102"},
      {"-1", "3e6466"},
      {"10", "c10b"},
      {"99", "c164"},
      {"100", "c202"},
      {"123", "c20218"},
      {"120", "c20215"},
      {"0.1", "c00b"},
      {"0.01", "c002"},
      {"0.001", "bf0b"},
      {"1.5", "c10233"},
      {"-42", "3e3b66"},
      {"0.015", "c00233"},
      {"1e125", "ff0b"},
      {"1e-130", "8002"},
      {"-1e125", "005b66"},
      {"-1e-130", "7f6466"},
      {"1e-129", "800b"},
      {"12345678901234567890123456789012345678", "d30d23394f5b0d23394f5b0d23394f5b0d23394f"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(hex_of(bytes_of(number_of(row.text))) == row.hex);
    Arena arena;
    CHECK(hex_of(encode_number(number_of(row.text), arena)) == row.hex);
  }
  // 38 digits that need a leading and a trailing zero: 20 pairs, and no end mark when negative.
  CHECK(bytes_of(number_of(std::string(37, '1') + ".1")).size() == 21);
  CHECK(bytes_of(number_of("-" + std::string(37, '1') + ".1")).size() == 21);
}

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

TEST_CASE("number: of random bytes only canonical encodings are valid", "[protocol]") {
  RandomNumbers random;
  int valid = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes = bytes_of(number_of(random.next()));
    const std::size_t place = random.raw() % bytes.size();
    if (i % 3 == 0) bytes[place] = static_cast<char>(random.raw());
    if (i % 7 == 0) bytes.resize(random.raw() % 23, static_cast<char>(random.raw()));
    if (!is_valid_number_encoding(bytes)) continue;
    ++valid;
    REQUIRE(bytes_of(decode_number(bytes)) == bytes);
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
  }
  CHECK(is_valid_number_encoding("\x80"));
}

TEST_CASE("number: bills the measured sizes", "[protocol]") {
  struct Row {
    std::string text;
    std::size_t size_bytes;
  };
  const Row rows[] = {{"0", 1},
                      {"-0", 1},
                      {"1", 2},
                      {"12", 2},
                      {"15", 2},
                      {"123", 3},
                      {"1234", 3},
                      {"12345", 4},
                      {"100", 2},
                      {"1010", 3},
                      {"1.5", 3},
                      {"0.15", 2},
                      {"1.234", 4},
                      {"3.14159", 5},
                      {"100.5", 4},
                      {"0.0000001", 2},
                      {"1E125", 2},
                      {"1E-100", 2},
                      {"-42", 3},
                      {"-12345", 5},
                      {"-1E125", 3},
                      {std::string(38, '1'), 20},
                      {"-" + std::string(38, '1'), 21},
                      {"120", 3},
                      {"0.015", 3},
                      {std::string(37, '1') + ".1", 21},
                      {"-" + std::string(37, '1') + ".1", 22},
                      {"1E3", 2},
                      {"1000", 2}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(number_size_bytes(bytes_of(number_of(row.text))) == row.size_bytes);
  }
}

TEST_CASE("number: adds exactly or not at all", "[protocol]") {
  const std::string nines(38, '9');
  struct Row {
    std::string a;
    std::string b;
    NumberError error;
    std::string sum;
  };
  const Row rows[] = {
      {"1", "2", kNone, "3"},
      {"1", "-1", kNone, "0"},
      {"-1", "-2", kNone, "-3"},
      {"0", "-7", kNone, "-7"},
      {"0.1", "0.2", kNone, "0.3"},
      {"0.5", "0.5", kNone, "1"},
      {"99", "1", kNone, "100"},
      {"100", "-0.01", kNone, "99.99"},
      {"-100", "0.01", kNone, "-99.99"},
      {"1e50", "1", kOver, ""},
      {"1e38", "1", kOver, ""},
      {"1e37", "1", kNone, "1" + std::string(36, '0') + "1"},
      {"1e38", "-1", kNone, nines},
      {"-1e38", "1", kNone, "-" + nines},
      {"2e38", "-1", kOver, ""},
      {"15e37", "-60000000000000000000000000000000000001", kNone,
       "89999999999999999999999999999999999999"},
      {nines, "1", kNone, "1" + std::string(38, '0')},
      {nines, "2", kOver, ""},
      {nines, nines, kOver, ""},
      {nines, "-" + nines, kNone, "0"},
      {nines + "e87", "1e87", kNone, "1" + std::string(125, '0')},
      {nines + "e88", "1e88", kOver, ""},
      {"9e125", "1e125", kOver, ""},
      {"9e125", "-9e125", kNone, "0"},
      {"5e125", "4e125", kNone, "9" + std::string(125, '0')},
      {"1e125", "1e-130", kOver, ""},
      {"1.5e-130", "-1.4e-130", kUnder, ""},
      {"1.5e-130", "-1.5e-130", kNone, "0"},
      {"1e-130", "1e-130", kNone, "0." + std::string(129, '0') + "2"},
      {"12345678901234567890", "0.123456789012345678", kNone,
       "12345678901234567890.123456789012345678"},
      {"12345678901234567890", "0.1234567890123456789", kOver, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.a, row.b);
    for (const bool swapped : {false, true}) {
      Number sum{7, 0, false};
      const Number a = number_of(swapped ? row.b : row.a);
      const Number b = number_of(swapped ? row.a : row.b);
      CHECK(add_numbers(a, b, sum) == row.error);
      CHECK((row.error == kNone ? text_of(sum) : "") == row.sum);
      if (row.error != kNone) CHECK(sum == Number{7, 0, false});
    }
  }
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
