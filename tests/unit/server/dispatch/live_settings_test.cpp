#include "server/dispatch/live_settings.h"

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;
using namespace std::chrono_literals;

namespace {

using Outcome = LiveSettings::Outcome;

const LiveSetting& named(std::string_view name) {
  for (const LiveSetting& one : live_settings()) {
    if (one.name == name) return one;
  }
  FAIL("no setting " << name);
  return live_settings().front();
}

tl::expected<LiveValue, std::string> parsed(std::string_view name, std::string_view text) {
  return parse_live_value(named(name), text);
}

struct World {
  explicit World(Throttling throttling = Throttling::Observe) { start.throttling = throttling; }

  Settings start;
  std::chrono::microseconds retained{-1};
  std::vector<Settings> engine;  // what it was changed to
  Outcome engine_outcome = Outcome::Done;
  std::vector<std::size_t> kept;
  LiveSettings live{start,
                    200,
                    {[this](std::chrono::microseconds age) { retained = age; },
                     [this](const Settings& settings) {
                       engine.push_back(settings);
                       return engine_outcome;
                     },
                     [this](std::size_t count) { kept.push_back(count); }}};

  Outcome try_set(std::string_view name, LiveValue value) {
    const LiveSettings::Change one{&named(name), value};
    return live.change({&one, 1});
  }
  bool set(std::string_view name, LiveValue value) { return try_set(name, value) == Outcome::Done; }
};

}  // namespace

TEST_CASE("live settings: values as flags have them, and durations", "[server]") {
  CHECK(parsed("gsi-delay", "0") == LiveValue(0us));
  CHECK(parsed("gsi-delay", "0.5") == LiveValue(500ms));
  CHECK(parsed("gsi-delay", "1000000") == LiveValue(1'000'000s));
  CHECK(parsed("gsi-delay", "1m30s") == LiveValue(90s));
  for (const char* text : {"", "-1", "1e3", "nan", "1000001", "2w", "soon", "5 s"}) {
    INFO(text);
    CHECK(!parsed("gsi-delay", text));
  }
}

TEST_CASE("live settings: modes of throttling and numbers of requests", "[server]") {
  CHECK(parsed("throttling", "enforce") == LiveValue(Throttling::Enforce));
  CHECK(parsed("throttling", "off") == LiveValue(Throttling::Off));
  for (const char* text : {"", "on", "Enforce", "1"}) CHECK(!parsed("throttling", text));
  CHECK(parsed("explain", "0") == LiveValue(std::size_t{0}));
  CHECK(parsed("explain", "10000") == LiveValue(std::size_t{10'000}));
  for (const char* text : {"", "-1", "10001", "1.5", "many"}) CHECK(!parsed("explain", text));
}

TEST_CASE("live settings: the engine learns of what it uses, and of nothing else", "[server]") {
  World world;
  REQUIRE(world.set("transaction-time", 5s));
  REQUIRE(world.set("explain", std::size_t{7}));
  CHECK(world.engine.empty());
  CHECK(world.kept == std::vector<std::size_t>{7});
  CHECK(world.live.requests_kept() == 7);
  REQUIRE(world.set("ttl-delay", 3s));
  REQUIRE(world.set("throttling", Throttling::Enforce));
  REQUIRE(world.engine.size() == 2);
  CHECK(world.engine.back().ttl_delay == 3s);
  CHECK(world.engine.back().throttling == Throttling::Enforce);
  CHECK(world.live.now().throttling == Throttling::Enforce);
}

TEST_CASE("live settings: what the engine cannot store is not changed", "[server]") {
  World world;
  world.engine_outcome = Outcome::NotStored;
  const LiveSettings::Change both[] = {{&named("gsi-delay"), 5s},
                                       {&named("explain"), std::size_t{7}}};
  CHECK(world.live.change(both) == Outcome::NotStored);
  CHECK(world.live.changed() == nullptr);
  CHECK(world.live.requests_kept() == 200);
  CHECK(!world.live.is_changed("gsi-delay"));
  world.engine_outcome = Outcome::NotFollowed;
  CHECK(world.live.change(both) == Outcome::NotFollowed);
  CHECK(world.live.now().gsi_delay == 5s);
  CHECK(world.live.is_changed("explain"));
}

TEST_CASE("live settings: throttling that was off at the start stays off", "[server]") {
  World world(Throttling::Off);
  CHECK(world.try_set("throttling", Throttling::Observe) == Outcome::CountsNothing);
  const LiveSettings::Change both[] = {{&named("gsi-delay"), 5s},
                                       {&named("throttling"), Throttling::Enforce}};
  CHECK(world.live.change(both) == Outcome::CountsNothing);
  CHECK(world.engine.empty());
  CHECK(world.live.changed() == nullptr);
  CHECK_FALSE(world.live.is_changed("gsi-delay"));
  CHECK(world.set("throttling", Throttling::Off));
}

TEST_CASE("live settings: a change leaves the values that requests have", "[server]") {
  World world;
  CHECK(world.live.changed() == nullptr);
  CHECK(&world.live.now() == &world.start);
  REQUIRE(world.set("transaction-time", 5s));
  const Settings* const first = world.live.changed();
  REQUIRE(first != nullptr);
  REQUIRE(world.set("transaction-time", 7s));
  CHECK(first->transaction_time == 5s);
  CHECK(world.live.now().transaction_time == 7s);
  CHECK(world.live.now().control_plane_delay == world.start.control_plane_delay);
  CHECK(world.start.transaction_time == 0s);
  CHECK(world.live.is_changed("transaction-time"));
  CHECK(!world.live.is_changed("ttl-cooldown"));
  // Values that were there before take no memory.
  REQUIRE(world.set("transaction-time", 5s));
  CHECK(world.live.changed() == first);
}

TEST_CASE("live settings: states are retained for lagging reads and for faults", "[server]") {
  World world;
  world.live.retain_for_faults(3s);
  CHECK(world.retained == 3s);
  REQUIRE(world.set("eventual-read-lag", 10s));
  CHECK(world.retained == 10s);
  world.live.retain_for_faults(0s);
  CHECK(world.retained == 10s);
  REQUIRE(world.set("eventual-read-lag", 0s));
  CHECK(world.retained == 0s);
}

TEST_CASE("live settings: the number of versions is bounded", "[server]") {
  World world;
  for (std::size_t i = 1; i <= LiveSettings::kChangesMax; ++i)
    REQUIRE(world.set("ttl-cooldown", std::chrono::seconds(i)));
  CHECK(world.try_set("ttl-cooldown", 5ms) == Outcome::TooMany);
  CHECK(world.set("ttl-cooldown", 1s));
}
