// A system clock that is set back or forward while the engine runs or between two runs: the
// engine's time never goes back, and what waits for it waits as long as it was told to.
#include <catch2/catch.hpp>

#include "engine/seams/engine_clock.h"
#include "tests/unit/engine/harness/standing_clock.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr hours kYear{365 * 24};
constexpr seconds kDelay{5};

Settings on_disk(const storage::TemporaryFolder& folder, microseconds delay = {}) {
  Settings settings;
  settings.storage.folder = folder.path();
  settings.control_plane_delay = delay;
  return settings;
}

// Of the table "Things".
std::string status(EngineHarness& engine) {
  return engine.call("DescribeTable", named("Things")).member("TableStatus");
}

double created(EngineHarness& engine) {
  return std::stod(engine.call("DescribeTable", named("Things")).member("CreationDateTime"));
}

void recreate(EngineHarness& engine) {
  engine.call("DeleteTable", named("Things"));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
}

}  // namespace

TEST_CASE("engine clock: follows forward, stands no step back", "[engine]") {
  ManualClock system{Timestamp{1'790'000'000'000'000}};
  const EngineClock clock(system, Timestamp{});
  const Timestamp start = clock.now();
  CHECK(start == system.now());
  system.advance(seconds(1));
  CHECK(clock.now() == start.plus(seconds(1)));
  system.step(-seconds(1));
  CHECK(clock.now() == start.plus(seconds(1)));
  system.step(-hours(1));
  system.advance(milliseconds(10));
  CHECK(clock.now() == start.plus(milliseconds(1010)));
  system.step(kYear);
  CHECK(clock.now() == system.now());
  system.step(-kYear);
  system.advance(seconds(1));
  CHECK(clock.now() == system.now().plus(kYear));
}

TEST_CASE("engine clock: begins no earlier than it is told", "[engine]") {
  ManualClock system{Timestamp{1'790'000'000'000'000}};
  const Timestamp later = system.now().plus(kYear);
  const EngineClock clock(system, later);
  CHECK(clock.now() == later);
  system.advance(seconds(2));
  CHECK(clock.now() == later.plus(seconds(2)));
  CHECK_FALSE(
      clock.real_wait(later.plus(seconds(3))));  // nobody moves a manual clock but its owner
}

TEST_CASE("engine clock: waits are as long as the time between", "[engine]") {
  const StandingClock system;
  const EngineClock clock(system, system.now().plus(kYear));
  CHECK(clock.real_wait(clock.now().plus(milliseconds(500))) == milliseconds(500));
}

TEST_CASE("engine clock: a clock that tells nothing is looked at", "[engine]") {
  // Moved like the system's: silently.
  class Silent final : public Clock {
   public:
    Timestamp now() const override { return now_; }
    microseconds steady() const override { return steady_; }
    std::optional<microseconds> real_wait(Timestamp /*due*/) const override { return {}; }
    Timestamp now_{1'790'000'000'000'000};
    microseconds steady_{0};
  } system;
  const EngineClock clock(system, Timestamp{});
  CHECK(clock.now() == system.now_);
  system.now_ = system.now_.plus(kYear);
  system.steady_ += EngineClock::kLook;
  CHECK(clock.now() == system.now_);
}

TEST_CASE("clock steps: no state goes back", "[engine]") {
  const storage::TemporaryFolder folder;
  const auto delay = GENERATE(microseconds(0), microseconds(kDelay));
  EngineHarness engine(on_disk(folder, delay));
  const auto settle = [&] {
    engine.clock().advance(delay);
    while (engine.sweep()) {
    }
  };
  recreate(engine);
  settle();
  double before = created(engine);
  for (const microseconds step : {microseconds(-seconds(1)), microseconds(-hours(1)),
                                  microseconds(kYear), microseconds(-kYear)}) {
    for (const bool restarts : {false, true}) {
      INFO(step.count() << " us, restarts: " << restarts << ", delay: " << delay.count());
      engine.clock().step(step);
      if (restarts) engine.reopen();
      CHECK(status(engine) == "\"ACTIVE\"");
      CHECK(engine.call("PutItem", put_things(R"({"pk":{"S":"a"}})")).ok);
      engine.call("DeleteTable", named("Things"));
      settle();
      REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
      if (delay.count() > 0) {
        CHECK(status(engine) == "\"CREATING\"");
        engine.clock().advance(delay / 2);
        engine.clock().step(-seconds(2));
        if (restarts) engine.reopen();
        CHECK(status(engine) == "\"CREATING\"");
        engine.clock().advance(delay - delay / 2);
      }
      CHECK(status(engine) == "\"ACTIVE\"");
      CHECK(created(engine) >= before);
      before = created(engine);
    }
  }
}

TEST_CASE("clock steps: an end without warning loses at most the step that is kept", "[engine]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder copy;
  Settings settings = on_disk(folder);
  double before = 0;
  {
    EngineHarness engine(settings);
    engine.clock().advance(kYear);
    recreate(engine);
    engine.clock().advance(milliseconds(99));
    recreate(engine);  // too soon after the other to be stored again
    before = created(engine);
    std::filesystem::copy_file(folder.path() / "data.mdb", copy.path() / "data.mdb");
  }
  settings.storage.folder = copy.path();
  EngineHarness engine(settings);
  CHECK(status(engine) == "\"ACTIVE\"");
  recreate(engine);
  CHECK(created(engine) > before);
  CHECK(created(engine) <= before + 0.1);
  REQUIRE(engine.warnings.size() == 1);
  CHECK(engine.warnings[0] ==
        "the data was written by a clock 31536000 s ahead of the system's clock; "
        "time continues from there");
}

TEST_CASE("clock steps: an index is built and late changes arrive after a step back", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = on_disk(folder, kDelay);
  settings.gsi_delay = kDelay;
  EngineHarness engine(settings);
  engine.clock().advance(kYear);
  recreate(engine);
  engine.clock().advance(kDelay);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  engine.clock().step(-kYear);
  engine.reopen();
  engine.clock().advance(kDelay);
  while (engine.sweep()) {
  }
  REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})")).ok);
  engine.clock().step(-hours(1));
  engine.clock().advance(kDelay);
  while (engine.sweep()) {
  }
  const Answer scanned =
      engine.call("Scan", R"({"TableName":"Things","IndexName":"by_g","Select":"COUNT"})");
  CHECK(scanned.member("Count") == "1");
}
