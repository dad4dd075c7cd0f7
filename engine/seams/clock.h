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

  // Before and behind every time that a clock tells.
  static constexpr Timestamp min() { return {std::numeric_limits<std::int64_t>::min()}; }
  static constexpr Timestamp max() { return {std::numeric_limits<std::int64_t>::max()}; }
  std::int64_t unix_ms() const { return unix_us / 1000; }
  std::int64_t unix_s() const { return unix_us / 1'000'000; }
  Timestamp plus(std::chrono::microseconds delta) const { return {unix_us + delta.count()}; }
  // When what begins now and takes `delay` is over. Without a delay that is long ago: no state
  // depends on a clock then.
  Timestamp settled_after(std::chrono::microseconds delay) const {
    return delay.count() > 0 ? plus(delay) : Timestamp{};
  }
  auto operator<=>(const Timestamp&) const = default;
};

// Told when a clock was moved, after it was, by the thread that moved it.
class ClockWatcher {
 public:
  virtual ~ClockWatcher() = default;
  virtual void clock_moved() noexcept = 0;
};

// Everything is safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;

  // Goes on evenly and never back, whatever is done to now(): only differences mean something.
  virtual std::chrono::microseconds steady() const = 0;

  // How long, in real time, who waits for `due` should wait before looking at the clock again,
  // unless it is moved; empty: only moving it brings `due`. REQUIRES: due > now().
  virtual std::optional<std::chrono::microseconds> real_wait(Timestamp due) const = 0;

  // The watcher is told of every move until unwatch() returns; it must not call these from
  // clock_moved(). A clock that nobody can move tells nothing.
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
  // Short enough that a system clock set forward is noticed.
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

  // Time passes. REQUIRES: delta >= 0.
  void advance(std::chrono::microseconds delta) {
    steady_us_.fetch_add(delta.count(), std::memory_order_relaxed);
    step(delta);
  }
  // Somebody sets the clock, forward or back; no time passes.
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
