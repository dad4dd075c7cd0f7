// Fuzzes numbers: as text in both rule sets, as bytes from outside, and as two texts that are
// added.
#include "protocol/number/number.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace stator {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::string bytes_of(const Number& number) {
  std::array<char, Number::kOrderedBytesMax> bytes;
  return {bytes.data(), encode_number(number, bytes.data())};
}

std::string text_of(std::string_view ordered_bytes) {
  std::string text;
  append_number_text(text, ordered_bytes);
  return text;
}

// Bytes, text and number must lead to each other.
void check_number(const Number& number) {
  const std::string bytes = bytes_of(number);
  require(is_valid_number_encoding(bytes));
  require(decode_number(bytes) == number);
  require(number_size_bytes(bytes) <= 1 + Number::kOrderedBytesMax);
  const std::string text = text_of(bytes);
  for (const NumberRules rules : {NumberRules::Current, NumberRules::Classic}) {
    Number again;
    require(parse_number(text, rules, again) == NumberError::None);
    require(again == number);
  }
  require(negate(negate(number)) == number);
  const Number opposite = negate(number);
  if (number.digits != 0) {
    require((bytes_of(number) < bytes_of(opposite)) == number.negative);
  }
}

// Whether `text` is a number in range.
bool parse(std::string_view text, Number& out) {
  Number classic;
  const NumberError old_error = parse_number(text, NumberRules::Classic, classic);
  const NumberError error = parse_number(text, NumberRules::Current, out);
  if (error != NumberError::None) return false;
  require(old_error == NumberError::None && classic == out);
  return true;
}

void check_sum(const Number& a, const Number& b) {
  Number sum;
  Number mirrored;
  const NumberError error = add_numbers(a, b, sum);
  require(add_numbers(b, a, mirrored) == error);
  if (error != NumberError::None) return;
  require(mirrored == sum);
  check_number(sum);
  Number back;
  require(add_numbers(sum, negate(b), back) == NumberError::None && back == a);
  if (b.digits != 0) require((bytes_of(sum) > bytes_of(a)) == !b.negative);
}

}  // namespace
}  // namespace stator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stator;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (is_valid_number_encoding(input)) {
    require(bytes_of(decode_number(input)) == input);
    check_number(decode_number(input));
  }
  Number whole;
  if (parse(input, whole)) check_number(whole);
  // "a b": also their sum.
  const std::size_t blank = input.find(' ');
  if (blank == std::string_view::npos) return 0;
  Number left;
  Number right;
  if (parse(input.substr(0, blank), left) && parse(input.substr(blank + 1), right)) {
    check_sum(left, right);
  }
  return 0;
}
