// Dates as signatures carry them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator {

inline constexpr std::size_t kIsoBasicChars = 16;

// "20130609T100015Z"
std::string iso_basic(std::int64_t unix_s);

// Seconds since 1970 of an ISO-8601 basic date, or of an HTTP date ("Sun, 09 Jun 2013 10:00:15
// GMT").
std::optional<std::int64_t> parse_signature_date(std::string_view text);

}  // namespace stator
