// Clock: the only source of time in the engine, so that tests (and later users) can move it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

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
  auto operator<=>(const Timestamp&) const = default;
};

class Clock {
 public:
  virtual ~Clock() = default;
  // Safe from any thread.
  virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
  }
};

// Stands still until moved.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_us_(start.unix_us) {}
  Timestamp now() const override { return {now_us_.load(std::memory_order_relaxed)}; }
  void advance(std::chrono::microseconds delta) {
    now_us_.fetch_add(delta.count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> now_us_;
};

}  // namespace stator
