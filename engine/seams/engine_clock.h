// EngineClock: the engine's own time. It follows another clock forward and never goes back: while
// that one is behind, because it was set back or because the data was written by one ahead of it,
// time goes on evenly from where it was.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/seams/clock.h"

namespace stator {

class EngineClock final : public Clock, ClockWatcher {
 public:
  // How often the followed clock is looked at for a step forward, unless it tells of its moves.
  static constexpr std::chrono::milliseconds kLook{100};

  // Tells no time before `not_before`. `followed` must outlive this.
  EngineClock(const Clock& followed, Timestamp not_before);
  ~EngineClock() override;
  EngineClock(const EngineClock&) = delete;
  EngineClock& operator=(const EngineClock&) = delete;

  // Of two calls of which one happens before the other, the later one tells no earlier time, unless
  // follow_back() comes between.
  Timestamp now() const override {
    const std::chrono::microseconds steady = followed_.steady();
    if (steady.count() >= next_look_us_.load(std::memory_order_relaxed)) look();
    return {ahead_us_.load(std::memory_order_relaxed) + steady.count()};
  }
  std::chrono::microseconds steady() const override { return followed_.steady(); }
  std::optional<std::chrono::microseconds> real_wait(Timestamp due) const override;

  // Goes back, or on, to the followed clock, or to `not_before` if that is behind it, whatever was
  // told before: for a state of the data that is gone back to, in which nothing tells of a later
  // time.
  void follow_back(Timestamp not_before);
  void watch(ClockWatcher& watcher) const override { followed_.watch(watcher); }
  void unwatch(ClockWatcher& watcher) const override { followed_.unwatch(watcher); }

 private:
  void clock_moved() noexcept override { look(); }
  // Goes forward to the followed clock when that is ahead.
  void look() const;

  const Clock& followed_;
  mutable std::mutex mutex_;  // held to look: who is late must not undo a step back
  mutable std::atomic<std::int64_t> ahead_us_;  // of the steady time
  mutable std::atomic<std::int64_t> next_look_us_{0};
};

}  // namespace stator
