// MovableClock: a clock that users can move. It shows the time of the clock below it until it is
// moved; then it continues from the new time at the chosen rate.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/seams/clock.h"

namespace stator {

// How time passes. Together with the time, this is the whole state of a moved clock.
struct ClockPace {
  static constexpr double kRateMax = 1'000'000;

  // Seconds that pass for each second of the clock below, within 0..kRateMax. 0 means that time
  // stands still.
  double rate = 1;
  // At rate 1, how far this clock is ahead of the clock below; otherwise 0.
  std::int64_t ahead_us = 0;

  bool stands() const { return rate == 0; }
  bool operator==(const ClockPace&) const = default;
};

// How time should begin, from the user's settings.
struct ClockChoice {
  std::optional<bool> stands;   // empty: as persisted with the data, else it passes
  std::optional<Timestamp> at;  // stand still at this time, or at that of the data if later
};

class MovableClock final : public Clock {
 public:
  // Last moment shown at rates other than 1: 9999-12-31T23:59:59.999999Z.
  static constexpr Timestamp kEnd{253'402'300'799'999'999};

  // Shows the time of `below`, which must outlive this.
  explicit MovableClock(const Clock& below) : below_(below) {}

  Timestamp now() const override {
    if (version_.load(std::memory_order_acquire) == 0) return below_.now();
    return now_by(state());
  }
  std::chrono::microseconds steady() const override {
    if (version_.load(std::memory_order_acquire) == 0) return below_.steady();
    return steady_by(state());
  }
  std::optional<std::chrono::microseconds> real_wait(Timestamp due) const override;
  void watch(ClockWatcher& watcher) const override;
  void unwatch(ClockWatcher& watcher) const override;

  ClockPace pace() const;

  // Sets the time to `from` and the rate, which is within 0..ClockPace::kRateMax. The time may go
  // back. Use an EngineClock if it must not.
  void go_on(Timestamp from, double rate);
  // Restores the difference that pace() returned before. REQUIRES: pace.rate is 1.
  void resume(const ClockPace& pace);

 private:
  // At rate 1, the differences of both times to those of the clock below. At other rates, both
  // times at the moment `since_us` of its steady time.
  struct State {
    double rate = 1;
    std::int64_t now_us = 0;
    std::int64_t steady_us = 0;
    std::int64_t since_us = 0;
  };

  State state() const;
  void change(const State& next);
  Timestamp now_by(const State& state) const;
  std::chrono::microseconds steady_by(const State& state) const;
  std::int64_t passed_us(const State& state) const;

  const Clock& below_;
  // A seqlock: a reader retries if the version is odd or has changed. 0: the clock was never moved.
  std::atomic<std::uint64_t> version_{0};
  std::atomic<double> rate_{1};
  std::atomic<std::int64_t> now_us_{0};
  std::atomic<std::int64_t> steady_us_{0};
  std::atomic<std::int64_t> since_us_{0};

  mutable std::mutex mutex_;                     // held while the clock is moved
  mutable std::vector<ClockWatcher*> watchers_;  // guarded by mutex_
};

}  // namespace stator
