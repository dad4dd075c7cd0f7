// Backoff: the pauses between the attempts at one call, and when to give up.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/seams/random.h"

namespace stator {

class Backoff {
 public:
  // `random` must outlive this.
  Backoff(Random& random, int attempts_max) : random_{random}, attempts_max_{attempts_max} {}

  // After a failed attempt: the pause before the next one; empty: it was the last. `is_late`: there
  // was no response in time. Pauses are at most 50 ms, 100 ms and so on up to 5 s.
  std::optional<std::chrono::milliseconds> next_pause(bool is_late) {
    ++attempts_;
    if (is_late) ++late_attempts_;
    if (attempts_ >= attempts_max_ || late_attempts_ >= kLateAttemptsMax) return {};
    // Half of the pause is random, so that clients rejected together do not return together.
    const auto half = static_cast<std::uint64_t>(pause_.count() / 2);
    pause_ = std::min(2 * pause_, kPauseMax);
    return std::chrono::milliseconds(half + random_.next() % (half + 1));
  }

 private:
  static constexpr std::chrono::milliseconds kPauseFirst{50};
  static constexpr std::chrono::milliseconds kPauseMax{5000};
  // Two minutes at the default timeout.
  static constexpr int kLateAttemptsMax = 2;

  Random& random_;
  const int attempts_max_;
  int attempts_ = 0;
  int late_attempts_ = 0;
  std::chrono::milliseconds pause_ = kPauseFirst;
};

}  // namespace stator
