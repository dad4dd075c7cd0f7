// EngineClock: the engine's own time. It follows another clock forward and never goes back. While
// that clock is behind, because it was set back or the data is from a clock ahead of it, time
// continues evenly.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"

namespace stator {

class EngineClock final : public Clock, ClockWatcher {
 public:
  // Interval of checks for forward steps of the followed clock, besides its notifications.
  static constexpr std::chrono::milliseconds kLook{100};

  // Never shows a time before `not_before` or after MovableClock::kEnd. `followed` must outlive
  // this.
  EngineClock(const Clock& followed, Timestamp not_before);
  ~EngineClock() override;
  EngineClock(const EngineClock&) = delete;
  EngineClock& operator=(const EngineClock&) = delete;

  // If one call happens before another, the later one returns no earlier time, unless follow_back()
  // comes between.
  Timestamp now() const override {
    const std::chrono::microseconds steady = followed_.steady();
    if (steady.count() >= next_look_us_.load(std::memory_order_relaxed)) look();
    return bounded({ahead_us_.load(std::memory_order_relaxed) + steady.count()});
  }
  std::chrono::microseconds steady() const override { return followed_.steady(); }
  std::optional<std::chrono::microseconds> real_wait(Timestamp due) const override;

  // Sets the time to the followed clock's, or to `not_before` if that is later, even if this goes
  // back. Call after a rollback, when no data has a later time.
  void follow_back(Timestamp not_before);
  void watch(ClockWatcher& watcher) const override { followed_.watch(watcher); }
  void unwatch(ClockWatcher& watcher) const override { followed_.unwatch(watcher); }

 private:
  static Timestamp bounded(Timestamp time) { return std::min(time, MovableClock::kEnd); }
  void clock_moved() noexcept override { look(); }
  // Moves to the followed clock's time if that is ahead.
  void look() const;

  const Clock& followed_;
  mutable std::mutex mutex_;  // held in look(), so that a late thread cannot undo a step back
  mutable std::atomic<std::int64_t> ahead_us_;  // of the steady time
  mutable std::atomic<std::int64_t> next_look_us_{0};
};

}  // namespace stator
