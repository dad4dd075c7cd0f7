// Times as text: dates in signatures, and times as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator {

inline constexpr std::size_t kIsoBasicChars = 16;

// "20130609T100015Z"
std::string iso_basic(std::int64_t unix_s);

// Seconds since 1970 of an ISO-8601 basic date, or of an HTTP date ("Sun, 09 Jun 2013 10:00:15
// GMT").
std::optional<std::int64_t> parse_signature_date(std::string_view text);

// "2027-01-01T00:00:00.000Z", truncated to milliseconds; at most the end of year 9999. REQUIRES:
// not before 1970.
std::string iso_extended(Timestamp time);

// Parses "2027-01-01T00:00:00Z", with up to six digits of a fraction, with +01:00 instead of Z, or
// a date alone, whose day begins in UTC. Empty if it is none of these. The years 0 to 9999 are
// those of the text, so the time in UTC may be just outside of them.
std::optional<Timestamp> parse_iso_extended(std::string_view text);

}  // namespace stator
