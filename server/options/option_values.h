// Parses values for both kinds of command line (command_line.cpp, command_options.cpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/options/options.h"

namespace stator {

inline constexpr double kSecondsMax = 1e6;
inline constexpr double kTimeoutMin_s = 0.01;

// REQUIRES: `text` is a number, as CLI11 has checked. Throws CLI::ValidationError.
template <class Duration>
Duration parse_seconds(const std::string& text, double seconds_min) {
  const double value = std::strtod(text.c_str(), nullptr);
  const bool is_within = value >= seconds_min && value <= kSecondsMax;  // false for NaN
  if (!is_within) throw CLI::ValidationError("'" + text + "' is too short or too long a time");
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>{value});
}

// Parses "16", "64K", "2G" as bytes. `size_min` is the minimum, `min_text` the same as such a text.
// Throws CLI::ValidationError.
inline std::size_t parse_bytes(const std::string& text, std::size_t size_min,
                               std::string_view min_text) {
  constexpr std::string_view kSuffixes = "KMGT";
  std::size_t digits = 0;
  std::size_t value = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 15) {
    value = value * 10 + static_cast<std::size_t>(text[digits++] - '0');
  }
  const std::string_view suffix = std::string_view{text}.substr(digits);
  const std::size_t place = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
  const bool is_readable = digits > 0 && (suffix.empty() || place != std::string_view::npos);
  const std::size_t shift = suffix.empty() ? 0 : 10 * (place + 1);
  if (!is_readable || value > (SIZE_MAX >> shift) || (value << shift) < size_min) {
    throw CLI::ValidationError("'" + text + "' is not a size of at least " + std::string(min_text));
  }
  return value << shift;
}

// The exit for an invalid command line; `help` shows the valid form.
inline OptionsExit mistake(std::string text, std::string_view help = "--help") {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {2, "stator: " + text + " (see " + std::string{help} + ")"};
}

}  // namespace stator
