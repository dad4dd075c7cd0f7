#include "engine/seams/movable_clock.h"

#include <catch2/catch.hpp>

#include "engine/seams/engine_clock.h"
#include "tests/unit/engine/harness/standing_clock.h"

using namespace stator;
using namespace std::chrono_literals;

namespace {

using std::chrono::microseconds;

struct Watcher final : ClockWatcher {
  void clock_moved() noexcept override { ++moves; }
  int moves = 0;
};

}  // namespace

TEST_CASE("movable clock: shows the time below until it is moved", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  const MovableClock clock(below);
  CHECK(clock.now() == below.now());
  CHECK(clock.steady() == below.steady());
  CHECK(clock.pace() == ClockPace());
  below.advance(1s);
  below.step(-1h);
  CHECK(clock.now() == below.now());
  CHECK(clock.steady() == 1s);
}

TEST_CASE("movable clock: goes on from where it is put, at the rate it is given", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock clock(below);
  const Timestamp start{1'800'000'000'000'000};
  struct Case {
    double rate;
    microseconds passed;  // in ten seconds below
  };
  const auto [rate, passed] = GENERATE(Case{0, 0s}, Case{1, 10s}, Case{60, 10min}, Case{0.5, 5s},
                                       Case{1'000'000, 10'000'000s});
  clock.go_on(start, rate);
  CHECK(clock.now() == start);
  CHECK(clock.pace().rate == rate);
  const microseconds steady = clock.steady();
  below.advance(10s);
  CHECK(clock.now() == start.plus(passed));
  CHECK(clock.steady() == steady + passed);
}

TEST_CASE("movable clock: differences of steady times stay true over moves", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock clock(below);
  below.advance(3s);
  const microseconds start = clock.steady();
  clock.go_on(clock.now().plus(24h), 0);
  below.advance(5s);
  clock.go_on(clock.now(), 10);
  below.advance(2s);
  clock.go_on(clock.now().plus(24h), 1);
  below.advance(1s);
  CHECK(clock.steady() - start == 21s);
}

TEST_CASE("movable clock: ends with the year 9999", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock clock(below);
  clock.go_on(MovableClock::kEnd.plus(-1s), ClockPace::kRateMax);
  below.advance(10'000h);
  CHECK(clock.now() == MovableClock::kEnd);
}

TEST_CASE("movable clock: ends with the year 9999 at the pace of the system, too", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock clock(below);
  const EngineClock engine(clock, Timestamp{});
  clock.go_on(MovableClock::kEnd.plus(-1s), 1);
  below.advance(500ms);
  CHECK(clock.now() == MovableClock::kEnd.plus(-500ms));
  CHECK(engine.now() == clock.now());
  for (int i = 0; i < 3; ++i) {
    below.advance(10h);
    CHECK(clock.now() == MovableClock::kEnd);
    CHECK(engine.now() == MovableClock::kEnd);
  }
  // Data of a program that did not end there.
  CHECK(EngineClock(below, MovableClock::kEnd.plus(48h)).now() == MovableClock::kEnd);
}

TEST_CASE("movable clock: resumes as far ahead as it was", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock before(below);
  before.go_on(before.now().plus(25h), 1);
  below.advance(1h);
  MovableClock after(below);
  after.resume(before.pace());
  CHECK(after.now() == before.now());
  CHECK(after.pace() == before.pace());
}

TEST_CASE("movable clock: tells of its moves and of those below", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock clock(below);
  Watcher watcher;
  clock.watch(watcher);
  clock.go_on(clock.now(), 0);
  below.step(1s);
  CHECK(watcher.moves == 2);
  clock.unwatch(watcher);
  clock.go_on(clock.now(), 1);
  below.step(1s);
  CHECK(watcher.moves == 2);
}

TEST_CASE("movable clock: how long to wait", "[engine]") {
  const test::StandingClock below;
  MovableClock clock(below);
  clock.go_on(Timestamp{1'800'000'000'000'000}, 0);
  CHECK_FALSE(clock.real_wait(clock.now().plus(1s)));
  clock.go_on(clock.now(), 60);
  CHECK(clock.real_wait(clock.now().plus(30s)) == 500ms);
  CHECK(clock.real_wait(clock.now().plus(1h)) == 1s);
  CHECK(clock.real_wait(clock.now().plus(microseconds(1)))->count() == 1);
  clock.go_on(clock.now(), 1);
  CHECK(clock.real_wait(clock.now().plus(500ms)) == 500ms);
}

TEST_CASE("movable clock: an engine's clock follows at every rate, and never back", "[engine]") {
  ManualClock below{Timestamp{1'790'000'000'000'000}};
  MovableClock movable(below);
  const EngineClock clock(movable, Timestamp{});
  movable.go_on(clock.now().plus(1h), 0);
  CHECK(clock.now() == movable.now());
  below.advance(1min);
  CHECK(clock.now() == movable.now());
  movable.go_on(clock.now(), 60);
  below.advance(1min);
  CHECK(clock.now() == below.now().plus(118min));
  const Timestamp reached = clock.now();
  movable.go_on(below.now(), 1);
  CHECK(clock.now() == reached);
  below.advance(1min);
  CHECK(clock.now() == reached.plus(1min));
}
