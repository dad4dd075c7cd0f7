// Lengths of time as people write them: 1h30m.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator {

// Whole numbers with units from w, d, h, m, s, ms, us, larger ones first, each one time at most; up
// to 100 years of 365.25 days. The error says in a line what is wrong.
tl::expected<std::chrono::microseconds, std::string> parse_duration(std::string_view text);

}  // namespace stator
