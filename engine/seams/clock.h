// Clock: the only source of time in the engine, so that tests (and later users) can move it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace stator {

// Microseconds since 1970-01-01 UTC.
struct Timestamp {
  std::int64_t unix_us = 0;

  // Before and after all times of a clock.
  static constexpr Timestamp min() { return {std::numeric_limits<std::int64_t>::min()}; }
  static constexpr Timestamp max() { return {std::numeric_limits<std::int64_t>::max()}; }
  std::int64_t unix_ms() const { return unix_us / 1000; }
  std::int64_t unix_s() const { return unix_us / 1'000'000; }
  Timestamp plus(std::chrono::microseconds delta) const { return {unix_us + delta.count()}; }
  // When a state that begins now and lasts `delay` ends. Without a delay this is long ago, so that
  // no state depends on a clock.
  Timestamp settled_after(std::chrono::microseconds delay) const {
    return delay.count() > 0 ? plus(delay) : Timestamp{};
  }
  auto operator<=>(const Timestamp&) const = default;
};

// Notified after each move of a clock, on the thread that moved it.
class ClockWatcher {
 public:
  virtual ~ClockWatcher() = default;
  virtual void clock_moved() noexcept = 0;
};

// Any thread may call everything.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;

  // Advances evenly and never back, whatever happens to now(). Only differences are meaningful.
  virtual std::chrono::microseconds steady() const = 0;

  // How long, in real time, to sleep before checking the clock again for `due`, unless it is moved;
  // empty if only a move can reach `due`. REQUIRES: due > now().
  virtual std::optional<std::chrono::microseconds> real_wait(Timestamp due) const = 0;

  // Notifies the watcher of every move until unwatch() returns. It must not call these from
  // clock_moved(). A clock that cannot be moved never notifies.
  virtual void watch(ClockWatcher& /*watcher*/) const {}
  virtual void unwatch(ClockWatcher& /*watcher*/) const {}
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
  }
  std::chrono::microseconds steady() const override {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since_start);
  }
  // Short, so that a forward step of the system clock is noticed.
  std::optional<std::chrono::microseconds> real_wait(Timestamp due) const override {
    constexpr std::chrono::microseconds kLookAgain = std::chrono::seconds(1);
    const Timestamp at = now();
    if (due > at.plus(kLookAgain)) return kLookAgain;
    return std::chrono::microseconds(due.unix_us - at.unix_us);
  }
};

// Stands still until moved.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_us_(start.unix_us) {}
  Timestamp now() const override { return {now_us_.load(std::memory_order_relaxed)}; }
  std::chrono::microseconds steady() const override {
    return std::chrono::microseconds(steady_us_.load(std::memory_order_relaxed));
  }
  std::optional<std::chrono::microseconds> real_wait(Timestamp /*due*/) const override {
    return std::nullopt;
  }
  void watch(ClockWatcher& watcher) const override {
    const std::lock_guard lock(mutex_);
    watchers_.push_back(&watcher);
  }
  void unwatch(ClockWatcher& watcher) const override {
    const std::lock_guard lock(mutex_);
    std::erase(watchers_, &watcher);
  }

  // Lets time pass. REQUIRES: delta >= 0.
  void advance(std::chrono::microseconds delta) {
    steady_us_.fetch_add(delta.count(), std::memory_order_relaxed);
    step(delta);
  }
  // Sets the clock forward or back without passing time.
  void step(std::chrono::microseconds delta) {
    now_us_.fetch_add(delta.count(), std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (ClockWatcher* watcher : watchers_) watcher->clock_moved();
  }

 private:
  std::atomic<std::int64_t> now_us_;
  std::atomic<std::int64_t> steady_us_{0};
  mutable std::mutex mutex_;
  mutable std::vector<ClockWatcher*> watchers_;  // guarded by mutex_
};

}  // namespace stator
