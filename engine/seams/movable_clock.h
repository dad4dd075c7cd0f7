// MovableClock: a clock that users move. It lies over another one, shows its time until it is
// moved, and from then on goes on from where it was put, as fast as it was told to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/seams/clock.h"

namespace stator {

// How time passes: what there is to keep of a clock that was moved, beside its time.
struct ClockPace {
  static constexpr double kRateMax = 1'000'000;

  // Seconds that pass for each second of the clock below; 0: time stands still. Within
  // 0..kRateMax.
  double rate = 1;
  // With rate 1, how far the time is ahead of the clock below; otherwise 0.
  std::int64_t ahead_us = 0;

  bool stands() const { return rate == 0; }
  bool operator==(const ClockPace&) const = default;
};

// How the user wants time to begin.
struct ClockChoice {
  std::optional<bool> stands;   // empty: as it was kept beside the data, else it passes
  std::optional<Timestamp> at;  // it stands still there, or where the data are when that is later
};

class MovableClock final : public Clock {
 public:
  // The last moment that it shows at a rate other than 1: 9999-12-31T23:59:59.999999Z.
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

  // The time is `from` now and passes at `rate`, which is within 0..ClockPace::kRateMax. Going back
  // is allowed here; who must not goes by an EngineClock.
  void go_on(Timestamp from, double rate);
  // As far ahead of the clock below as pace() told before. REQUIRES: pace.rate is 1.
  void resume(const ClockPace& pace);

 private:
  // At rate 1 what both times are ahead of those of the clock below; at other rates both times at
  // the moment `since_us` of the steady time below.
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
  // A reader takes the state anew when the version was odd or has changed meanwhile; 0: nobody has
  // moved the clock.
  std::atomic<std::uint64_t> version_{0};
  std::atomic<double> rate_{1};
  std::atomic<std::int64_t> now_us_{0};
  std::atomic<std::int64_t> steady_us_{0};
  std::atomic<std::int64_t> since_us_{0};

  mutable std::mutex mutex_;                     // held while the clock is moved
  mutable std::vector<ClockWatcher*> watchers_;  // guarded by mutex_
};

}  // namespace stator
