#include "protocol/text/shown_number.h"

#include <array>
#include <charconv>
#include <system_error>

namespace stator {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

std::string rounded(double number, int decimals) {
  std::array<char, 400> digits{};  // fits any double
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                     std::chars_format::fixed, decimals);
  std::string text(digits.data(), written.ptr);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string rounded(std::string_view number, int decimals) {
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = read.ec == std::errc() && read.ptr == number.data() + number.size();
  return is_number ? rounded(value, decimals) : std::string(number);
}

}  // namespace stator
