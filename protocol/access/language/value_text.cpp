#include "protocol/access/language/value_text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <limits>
#include <system_error>

#include "protocol/number/number.h"

namespace stator::access {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

// The number of exactly `digits` digits that the text begins with, which are taken off.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take_character(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// YYYY-MM or YYYY-MM-DD, in seconds.
std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_character(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month) return std::nullopt;
  std::optional<int> day = 1;
  if (take_character(text, '-')) day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  return std::chrono::seconds(days).count();
}

// The digits after the point of a second; those after the sixth count for nothing.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  if (size == 0) return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i) micros = micros * 10 + (i < size ? text[i] - '0' : 0);
  text.remove_prefix(size);
  return micros;
}

// hh:mm, hh:mm:ss or hh:mm:ss.f, in microseconds.
std::optional<std::int64_t> take_time(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take_character(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  std::optional<int> second = 0;
  std::optional<std::int64_t> micros = 0;
  if (take_character(text, ':')) {
    second = take_digits(text, 2);
    if (second && take_character(text, '.')) micros = take_fraction(text);
  }
  if (!second || !micros || *second > 60) return std::nullopt;
  const std::int64_t seconds = std::int64_t{*hour} * 3600 + *minute * 60 + *second;
  return seconds * kMicrosPerSecond + *micros;
}

// Z, +hh:mm, -hh:mm or nothing: the seconds that local time is ahead.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (text.empty() || take_character(text, 'Z')) return 0;
  const bool is_behind = text.front() == '-';
  if (!take_character(text, '-') && !take_character(text, '+')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take_character(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t ahead = std::int64_t{*hours} * 3600 + *minutes * 60;
  return is_behind ? -ahead : ahead;
}

}  // namespace

std::optional<std::string> read_number(std::string_view text) {
  Number number;
  if (parse_number(text, NumberRules::Current, number) != NumberError::None) return std::nullopt;
  std::array<char, Number::kOrderedBytesMax> bytes{};
  return std::string(bytes.data(), encode_number(number, bytes.data()));
}

std::optional<std::int64_t> read_moment(std::string_view text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && stop == end) {
    constexpr std::int64_t kSecondsMax =
        std::numeric_limits<std::int64_t>::max() / kMicrosPerSecond;
    if (seconds > kSecondsMax || seconds < -kSecondsMax) return std::nullopt;
    return seconds * kMicrosPerSecond;
  }
  const auto date = take_date(text);
  if (!date) return std::nullopt;
  if (text.empty()) return *date * kMicrosPerSecond;
  if (!take_character(text, 'T')) return std::nullopt;
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  const auto ahead = take_zone(text);
  if (!ahead || !text.empty()) return std::nullopt;
  return (*date - *ahead) * kMicrosPerSecond + *time;
}

bool IpBlock::contains(const IpBlock& address) const {
  if (is_v6 != address.is_v6 || address.prefix_bits < prefix_bits) return false;
  for (unsigned bit = 0; bit < prefix_bits; bit += 8) {
    const unsigned used = std::min(prefix_bits - bit, 8U);
    const unsigned mask = 0xFFU << (8 - used) & 0xFFU;
    if (((bytes.at(bit / 8) ^ address.bytes.at(bit / 8)) & mask) != 0) return false;
  }
  return true;
}

std::optional<IpBlock> read_ip_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  IpBlock block;
  block.is_v6 = address.find(':') != std::string::npos;
  // An embedded NUL would end the text early.
  if (address.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(block.is_v6 ? AF_INET6 : AF_INET, address.c_str(), block.bytes.data()) != 1)
    return std::nullopt;
  const unsigned bits_max = block.is_v6 ? 128 : 32;
  block.prefix_bits = bits_max;
  if (slash == std::string_view::npos) return block;
  const std::string_view bits = text.substr(slash + 1);
  const char* const end = bits.data() + bits.size();
  const auto [stop, error] = std::from_chars(bits.data(), end, block.prefix_bits);
  if (error != std::errc() || stop != end || block.prefix_bits > bits_max) return std::nullopt;
  return block;
}

}  // namespace stator::access
