#include "server/dispatch/live_settings.h"

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;
using namespace std::chrono_literals;

namespace {

LiveSettings::Change change(std::string_view name, std::chrono::microseconds value) {
  for (const LiveSetting& one : live_settings()) {
    if (one.name == name) return {&one, value};
  }
  FAIL("no setting " << name);
  return {};
}

struct World {
  Settings start;
  std::chrono::microseconds retained{-1};
  LiveSettings live{start, [this](std::chrono::microseconds age) { retained = age; }};

  bool set(std::string_view name, std::chrono::microseconds value) {
    const LiveSettings::Change one = change(name, value);
    return live.change({&one, 1});
  }
};

}  // namespace

TEST_CASE("live settings: values as flags have them, and durations", "[server]") {
  CHECK(parse_live_value("0") == 0us);
  CHECK(parse_live_value("0.5") == 500ms);
  CHECK(parse_live_value("1000000") == 1'000'000s);
  CHECK(parse_live_value("1m30s") == 90s);
  for (const char* text : {"", "-1", "1e3", "nan", "1000001", "2w", "soon", "5 s"}) {
    INFO(text);
    CHECK(!parse_live_value(text));
  }
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
  CHECK(!world.set("ttl-cooldown", 5ms));
  CHECK(world.set("ttl-cooldown", 1s));
}
