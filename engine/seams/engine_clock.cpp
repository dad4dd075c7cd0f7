#include "engine/seams/engine_clock.h"

#include <algorithm>

namespace stator {

EngineClock::EngineClock(const Clock& followed, Timestamp not_before)
    : followed_(followed), ahead_us_(bounded(not_before).unix_us - followed.steady().count()) {
  look();
  followed_.watch(*this);
}

EngineClock::~EngineClock() { followed_.unwatch(*this); }

std::optional<std::chrono::microseconds> EngineClock::real_wait(Timestamp due) const {
  const std::chrono::microseconds left(due.unix_us - now().unix_us);
  return followed_.real_wait(followed_.now().plus(left));
}

void EngineClock::follow_back(Timestamp not_before) {
  const std::lock_guard lock(mutex_);
  const Timestamp followed = bounded(std::max(followed_.now(), not_before));
  const std::chrono::microseconds steady = followed_.steady();
  ahead_us_.store(followed.unix_us - steady.count(), std::memory_order_relaxed);
}

void EngineClock::look() const {
  const std::lock_guard lock(mutex_);
  // In this order: a thread that is suspended in between reads a followed time that is too early,
  // which is harmless, and never one too late, which would put this clock ahead for good.
  const Timestamp followed = followed_.now();
  const std::chrono::microseconds steady = followed_.steady();
  const std::int64_t ahead_us = followed.unix_us - steady.count();
  std::int64_t known_us = ahead_us_.load(std::memory_order_relaxed);
  while (known_us < ahead_us &&
         !ahead_us_.compare_exchange_weak(known_us, ahead_us, std::memory_order_relaxed)) {
  }
  const std::chrono::microseconds next = steady + kLook;
  next_look_us_.store(next.count(), std::memory_order_relaxed);
}

}  // namespace stator
