#include "engine/seams/movable_clock.h"

#include <algorithm>
#include <cmath>

namespace stator {
namespace {

// A waiting thread checks the clock after this time, whatever the rate.
constexpr std::chrono::microseconds kLookAgain = std::chrono::seconds(1);

}  // namespace

std::optional<std::chrono::microseconds> MovableClock::real_wait(Timestamp due) const {
  const State at = state();
  if (at.rate == 0) return std::nullopt;
  const std::chrono::microseconds left(due.unix_us - now_by(at).unix_us);
  if (at.rate == 1) return below_.real_wait(below_.now().plus(left));
  const double real_us = std::ceil(static_cast<double>(left.count()) / at.rate);
  if (real_us >= static_cast<double>(kLookAgain.count())) return kLookAgain;
  return std::chrono::microseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(real_us)));
}

void MovableClock::watch(ClockWatcher& watcher) const {
  below_.watch(watcher);
  const std::lock_guard lock(mutex_);
  watchers_.push_back(&watcher);
}

void MovableClock::unwatch(ClockWatcher& watcher) const {
  below_.unwatch(watcher);
  const std::lock_guard lock(mutex_);
  std::erase(watchers_, &watcher);
}

ClockPace MovableClock::pace() const {
  const State at = state();
  return {at.rate, at.rate == 1 ? at.now_us : 0};
}

// The steady time neither jumps nor stops, so that durations measured with it stay right.
void MovableClock::go_on(Timestamp from, double rate) {
  const std::lock_guard lock(mutex_);
  const std::chrono::microseconds below = below_.steady();
  State next{rate, from.unix_us, steady_by(state()).count(), below.count()};
  if (rate == 1) {
    next.now_us -= below_.now().unix_us;
    next.steady_us -= below.count();
    next.since_us = 0;
  }
  change(next);
}

void MovableClock::resume(const ClockPace& pace) {
  const std::lock_guard lock(mutex_);
  change({1, pace.ahead_us, steady_by(state()).count() - below_.steady().count(), 0});
}

// Each store is a release after the odd version, so a thread that reads a new value also sees that
// version.
void MovableClock::change(const State& next) {
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  rate_.store(next.rate, std::memory_order_release);
  now_us_.store(next.now_us, std::memory_order_release);
  steady_us_.store(next.steady_us, std::memory_order_release);
  since_us_.store(next.since_us, std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
  for (ClockWatcher* watcher : watchers_) watcher->clock_moved();
}

MovableClock::State MovableClock::state() const {
  for (;;) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    State state;
    state.rate = rate_.load(std::memory_order_acquire);
    state.now_us = now_us_.load(std::memory_order_acquire);
    state.steady_us = steady_us_.load(std::memory_order_acquire);
    state.since_us = since_us_.load(std::memory_order_acquire);
    if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) return state;
  }
}

Timestamp MovableClock::now_by(const State& state) const {
  if (state.rate == 1) {
    const std::int64_t below_us = below_.now().unix_us;
    return below_us < kEnd.unix_us - state.now_us ? Timestamp{below_us + state.now_us} : kEnd;
  }
  return {state.now_us + passed_us(state)};
}

std::chrono::microseconds MovableClock::steady_by(const State& state) const {
  if (state.rate == 1) return std::chrono::microseconds(below_.steady().count() + state.steady_us);
  return std::chrono::microseconds(state.steady_us + passed_us(state));
}

std::int64_t MovableClock::passed_us(const State& state) const {
  const auto below_us = static_cast<double>(below_.steady().count() - state.since_us);
  const std::int64_t most_us = std::max<std::int64_t>(0, kEnd.unix_us - state.now_us);
  const double passed = below_us * state.rate;
  return passed >= static_cast<double>(most_us) ? most_us : static_cast<std::int64_t>(passed);
}

}  // namespace stator
