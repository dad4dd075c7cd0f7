// See iso_time.h.

#include "engine/seams/iso_time.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "engine/seams/movable_clock.h"

namespace stator {

namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr std::int64_t kMicrosecondsInSecond = 1'000'000;

// Digits only; -1 otherwise.
int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Parts {
  int year, month, day, hour, minute, second;
};

std::optional<std::int64_t> unix_seconds(const Parts& parts) {
  namespace chrono = std::chrono;
  if (parts.year < 0 || parts.month < 0 || parts.day < 0) return std::nullopt;
  const chrono::year_month_day date{chrono::year{parts.year},
                                    chrono::month{static_cast<unsigned>(parts.month)},
                                    chrono::day{static_cast<unsigned>(parts.day)}};
  const auto within = [](int value, int max) { return value >= 0 && value <= max; };
  if (!date.ok() || !within(parts.hour, 23) || !within(parts.minute, 59) ||
      !within(parts.second, 60)) {
    return std::nullopt;
  }
  const auto days = chrono::sys_days{date}.time_since_epoch().count();
  return ((std::int64_t{days} * 24 + parts.hour) * 60 + parts.minute) * 60 + parts.second;
}

// YYYYMMDDTHHMMSSZ
std::optional<std::int64_t> parse_iso_basic(std::string_view text) {
  if (text.size() != kIsoBasicChars || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  return unix_seconds({number(text.substr(0, 4)), number(text.substr(4, 2)),
                       number(text.substr(6, 2)), number(text.substr(9, 2)),
                       number(text.substr(11, 2)), number(text.substr(13, 2))});
}

// Ddd, DD Mmm YYYY HH:MM:SS GMT
std::optional<std::int64_t> parse_http_date(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' ||
      text[16] != ' ' || text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  int month = 0;
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (text.substr(8, 3) == kMonths[i]) month = static_cast<int>(i) + 1;
  }
  return unix_seconds({number(text.substr(12, 4)), month, number(text.substr(5, 2)),
                       number(text.substr(17, 2)), number(text.substr(20, 2)),
                       number(text.substr(23, 2))});
}

// Takes ".123" off the front, in microseconds; nothing there is 0, -1 for anything else.
std::int64_t take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  std::size_t digits = 0;
  std::int64_t value_us = 0;
  for (; digits + 1 < text.size() && text[digits + 1] >= '0' && text[digits + 1] <= '9'; ++digits)
    value_us = value_us * 10 + (text[digits + 1] - '0');
  if (digits == 0 || digits > 6) return -1;
  text.remove_prefix(digits + 1);
  for (; digits < 6; ++digits) value_us *= 10;
  return value_us;
}

// Seconds to add for "Z", "+01:00", "-05:30".
std::optional<std::int64_t> zone_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = number(text.substr(1, 2));
  const int minutes = number(text.substr(4, 2));
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (text[0] == '+' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace

std::string iso_basic(std::int64_t unix_s) {
  namespace chrono = std::chrono;
  const chrono::sys_seconds time{chrono::seconds{unix_s}};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date{day};
  const auto seconds = static_cast<unsigned>((time - day).count());
  std::string out(kIsoBasicChars, '0');
  const auto put = [&out](std::size_t end, std::size_t count, unsigned value) {
    for (std::size_t i = end; i > end - count; --i, value /= 10) {
      out[i - 1] = static_cast<char>('0' + value % 10);
    }
  };
  put(4, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  put(6, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  out[8] = 'T';
  put(11, 2, seconds / 3600);
  put(13, 2, seconds / 60 % 60);
  put(15, 2, seconds % 60);
  out[15] = 'Z';
  return out;
}

std::string iso_extended(Timestamp time) {
  time = std::min(time, MovableClock::kEnd);
  const std::int64_t ms = time.unix_ms() % 1000;
  const std::string basic = iso_basic(time.unix_s());
  std::string out = basic.substr(0, 4) + "-" + basic.substr(4, 2) + "-" + basic.substr(6, 5) + ":" +
                    basic.substr(11, 2) + ":" + basic.substr(13, 2) + ".";
  return out + std::to_string(1000 + ms).substr(1) + "Z";
}

std::optional<Timestamp> parse_iso_extended(std::string_view text) {
  constexpr std::size_t kDateChars = 10;
  constexpr std::size_t kTimeChars = 19;
  const bool is_date = text.size() == kDateChars;
  if ((!is_date && text.size() <= kTimeChars) || text[4] != '-' || text[7] != '-')
    return std::nullopt;
  Parts parts{
      number(text.substr(0, 4)), number(text.substr(5, 2)), number(text.substr(8, 2)), 0, 0, 0};
  std::int64_t fraction_us = 0;
  std::optional<std::int64_t> offset_s = 0;
  if (!is_date) {
    if ((text[10] != 'T' && text[10] != 't') || text[13] != ':' || text[16] != ':')
      return std::nullopt;
    parts.hour = number(text.substr(11, 2));
    parts.minute = number(text.substr(14, 2));
    parts.second = number(text.substr(17, 2));
    std::string_view rest = text.substr(kTimeChars);
    fraction_us = take_fraction(rest);
    offset_s = zone_offset(rest);
  }
  const auto local_s = unix_seconds(parts);
  if (!local_s || fraction_us < 0 || !offset_s) return std::nullopt;
  return Timestamp{(*local_s + *offset_s) * kMicrosecondsInSecond + fraction_us};
}

std::optional<std::int64_t> parse_signature_date(std::string_view text) {
  if (const auto time = parse_iso_basic(text)) return time;
  return parse_http_date(text);
}

}  // namespace stator
