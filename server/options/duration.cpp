#include "server/options/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace stator {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t length_us;
};
constexpr std::array<Unit, 7> kUnits = {{{"w", 604'800'000'000},
                                         {"d", 86'400'000'000},
                                         {"h", 3'600'000'000},
                                         {"m", 60'000'000},
                                         {"s", 1'000'000},
                                         {"ms", 1'000},
                                         {"us", 1}}};
constexpr std::int64_t kMostUs = 36'525 * kUnits[1].length_us;
// Longest excerpt of the client's text in an error.
constexpr std::size_t kEchoBytesMax = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

tl::expected<std::chrono::microseconds, std::string> parse_duration(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    const std::string_view shown = text.size() > kEchoBytesMax ? "this" : text;
    return tl::unexpected("'" + std::string{shown} + "' " + std::string{why});
  };
  constexpr std::string_view kNone =
      "is not a duration such as 1h30m, 25h or 250ms (w, d, h, m, s, ms, us)";
  std::int64_t sum_us = 0;
  auto next_unit = kUnits.begin();
  std::string_view rest = text;
  if (rest.empty()) return refuse(kNone);
  while (!rest.empty()) {
    std::int64_t count = 0;
    const char* const end = rest.data() + rest.size();
    const auto number = std::from_chars(rest.data(), end, count);
    if (!is_digit(rest.front())) return refuse(kNone);
    if (number.ec != std::errc{}) return refuse("is longer than 100 years");
    rest.remove_prefix(static_cast<std::size_t>(number.ptr - rest.data()));
    const auto name_end = std::find_if(rest.begin(), rest.end(), is_digit);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(name_end - rest.begin()));
    const auto unit = std::find_if(next_unit, kUnits.end(),
                                   [&](const Unit& candidate) { return candidate.name == name; });
    if (unit == kUnits.end()) return refuse(kNone);
    if (count > (kMostUs - sum_us) / unit->length_us) return refuse("is longer than 100 years");
    sum_us += count * unit->length_us;
    rest.remove_prefix(name.size());
    next_unit = unit + 1;
  }
  return std::chrono::microseconds{sum_us};
}

}  // namespace stator
