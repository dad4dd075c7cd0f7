// Values on command lines, as both kinds of them are read (options.cpp, command_options.cpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/options.h"

namespace stator {

inline constexpr double kSecondsMax = 1e6;
inline constexpr double kTimeoutMin_s = 0.01;

// `text` is a number, as CLI11 has seen already. Throws CLI::ValidationError.
template <class Duration>
Duration parse_seconds(const std::string& text, double seconds_min) {
  const double value = std::strtod(text.c_str(), nullptr);
  const bool is_within = value >= seconds_min && value <= kSecondsMax;  // false for NaN
  if (!is_within) throw CLI::ValidationError("'" + text + "' is too short or too long a time");
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>{value});
}

// The command line is wrong; `help` shows how it is right.
inline OptionsExit mistake(std::string text, std::string_view help = "--help") {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {2, "stator: " + text + " (see " + std::string{help} + ")"};
}

}  // namespace stator
