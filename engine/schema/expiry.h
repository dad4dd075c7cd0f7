// When an item counts as expired (conformance/observed/ttl.md 2): once the second in its attribute
// has passed, unless that was more than five years ago.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/seams/clock.h"

namespace stator {

// Five years of 365 days.
inline constexpr std::int64_t kExpiredMax_s = 157'680'000;
// The last second of the year 9999. A larger value, usually a time in milliseconds, never expires.
inline constexpr std::uint64_t kExpiryMax_s = 253'402'300'799;

// The first second at which an item counts as expired if its attribute is `whole_s` plus a
// fraction; empty if it never expires.
constexpr std::optional<std::uint64_t> expiry_due_s(std::uint64_t whole_s) {
  if (whole_s >= kExpiryMax_s) return std::nullopt;
  return whole_s + 1;
}

// Items due in one of these seconds, both included, are expired and to be deleted.
struct ExpiryWindow {
  std::uint64_t first_s = 0;
  std::uint64_t last_s = 0;

  // The window at `now` if expired items are retained for `delay`.
  static ExpiryWindow at(Timestamp now, std::chrono::microseconds delay) {
    const std::int64_t oldest = std::max<std::int64_t>(now.unix_s() - kExpiredMax_s, 0);
    const std::int64_t newest = std::max<std::int64_t>(now.plus(-delay).unix_s(), 0);
    return {static_cast<std::uint64_t>(oldest) + 1, static_cast<std::uint64_t>(newest)};
  }
  // The time at which items due at `due_s` enter the window.
  static Timestamp begin(std::uint64_t due_s, std::chrono::microseconds delay) {
    return Timestamp{static_cast<std::int64_t>(due_s) * 1'000'000}.plus(delay);
  }
};

}  // namespace stator
