// StreamLimits: the user's choices for all streams.
#pragma once

#include <chrono>
#include <cstdint>

namespace stator {

// Settings for all streams (engine/call/settings.h).
struct StreamLimits {
  std::uint32_t shards = 1;                                          // open shards per stream
  std::chrono::microseconds retention = std::chrono::hours(24);      // of records
  std::chrono::microseconds rollover_after = std::chrono::hours(4);  // zero: shards stay open
  // Limit for the records of all streams together; above it the oldest are removed first.
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
};

}  // namespace stator
