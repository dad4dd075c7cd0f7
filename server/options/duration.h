// Durations as people write them: 1h30m.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator {

// Parses whole numbers with the units w, d, h, m, s, ms and us, larger units first, each at most
// once. The maximum is 100 years of 365.25 days. The error is one line.
tl::expected<std::chrono::microseconds, std::string> parse_duration(std::string_view text);

}  // namespace stator
