// The clock of an engine is moved forward: what becomes due on the way happens in its order, and
// where the clock stands is kept beside the data.
#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp kStart{1'790'000'000'000'000};

struct Patient final : StopCondition {
  bool should_stop() noexcept override { return !(questions < questions_max && ++questions > 0); }
  int questions = 0;
  int questions_max = 1'000'000;
};

// An engine on a movable clock over one that stands.
struct Moved {
  explicit Moved(Settings settings = {}) : driver(std::move(settings), clock) {}

  AdvanceOutcome advance(std::chrono::microseconds by) {
    return steer(driver.engine(), clock, driver.engine().clock().now().plus(by), stop_condition);
  }
  Answer call(std::string_view operation, const std::string& body) {
    return driver.call(operation, body);
  }

  ManualClock below{kStart};
  MovableClock clock{below};
  Patient stop_condition;
  EngineDriver driver;
};

Settings on_disk(const storage::TemporaryFolder& folder) {
  Settings settings;
  settings.storage.folder = folder.path();
  return settings;
}

std::string status(Moved& engine, std::string_view table) {
  return engine.call("DescribeTable", named(table)).member("TableStatus");
}

}  // namespace

TEST_CASE("steering: a table is active, an index follows, when the time has come", "[engine]") {
  Settings settings;
  settings.control_plane_delay = 1h;
  settings.gsi_delay = 10s;
  Moved engine(settings);
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk), global by_g (g) ALL")).ok);
  CHECK(status(engine, "Things") == "\"CREATING\"");
  CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  CHECK(engine.clock.now() == kStart.plus(1h));
  CHECK(status(engine, "Things") == "\"ACTIVE\"");
  REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})")).ok);
  const std::string scan = R"({"TableName":"Things","IndexName":"by_g"})";
  CHECK(engine.advance(9s) == AdvanceOutcome::Arrived);
  CHECK(engine.call("Scan", scan).member("Count") == "0");
  CHECK(engine.advance(1s) == AdvanceOutcome::Arrived);
  CHECK(engine.call("Scan", scan).member("Count") == "1");
}

// Each step brings the next one about: what a chore enters on the way is done at its own time too.
TEST_CASE("steering: what is due in between happens in the order of time", "[engine]") {
  Settings settings;
  settings.control_plane_delay = 1h;
  settings.gsi_delay = 1s;
  Moved engine(settings);
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})")).ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  REQUIRE(engine.call("CreateTable", hash_table("Other")).ok);
  CHECK(engine.advance(24h * 365) == AdvanceOutcome::Arrived);
  CHECK(engine.clock.now() == kStart.plus(1h + 24h * 365));
  CHECK(status(engine, "Things") == "\"ACTIVE\"");
  CHECK(engine.call("Scan", R"({"TableName":"Things","IndexName":"by_g"})").member("Count") == "1");
  REQUIRE(engine.call("DeleteTable", named("Other")).ok);
  CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  CHECK_FALSE(engine.call("DescribeTable", named("Other")).ok);
  CHECK_FALSE(engine.driver.maintain().next_due);
  CHECK(engine.stop_condition.questions < 100);
}

TEST_CASE("steering: stops where it has come when nobody waits", "[engine]") {
  Settings settings;
  settings.control_plane_delay = 1h;
  Moved engine(settings);
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  REQUIRE(engine.call("DeleteTable", named("Things")).ok);
  engine.stop_condition.questions = 0;
  engine.stop_condition.questions_max = 2;
  CHECK(engine.advance(24h) == AdvanceOutcome::Cancelled);
  CHECK(engine.clock.now() >= kStart.plus(1h));
  CHECK(engine.clock.now() < kStart.plus(25h));
}

// Each dropped table makes its removal due at once, so there is always something due.
TEST_CASE("steering: arrives beside writes that always make something due", "[engine]") {
  struct Busy final : StopCondition {
    bool should_stop() noexcept override {
      for (int i = 0; i < 20; ++i, ++tables) {
        const std::string table = "Busy" + std::to_string(tables % 50);
        if (tables >= 50) is_sound &= engine->call("DeleteTable", named(table)).ok;
        is_sound &= engine->call("CreateTable", hash_table(table)).ok;
      }
      return ++questions == 1000;
    }
    Moved* engine = nullptr;
    int questions = 0;
    int tables = 0;
    bool is_sound = true;
  };
  Moved engine;
  Busy busy;
  busy.engine = &engine;
  const auto by = GENERATE(std::chrono::minutes(10), std::chrono::hours(26));
  const Timestamp target = kStart.plus(by);
  CHECK(steer(engine.driver.engine(), engine.clock, target, busy) == AdvanceOutcome::Arrived);
  CHECK(busy.is_sound);
  CHECK(engine.clock.now() == target);
}

TEST_CASE("steering: the pace of time stays", "[engine]") {
  Moved engine;
  for (const double rate : {0.0, 1.0, 60.0}) {
    engine.clock.go_on(engine.driver.engine().clock().now(), rate);
    CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
    CHECK(engine.clock.pace().rate == rate);
  }
  CHECK(engine.clock.now() == kStart.plus(3h));
}

TEST_CASE("kept clock: a moved clock goes on over a restart", "[engine]") {
  const storage::TemporaryFolder folder;
  const double rate = GENERATE(0.0, 1.0, 60.0);
  INFO(rate);
  Timestamp reached;
  {
    Moved engine(on_disk(folder));
    engine.clock.go_on(kStart, rate);
    CHECK(engine.advance(25h) == AdvanceOutcome::Arrived);
    reached = engine.clock.now();
  }
  Moved engine(on_disk(folder));
  CHECK(engine.clock.pace().rate == rate);
  CHECK(engine.driver.engine().clock().now() == reached);
  CHECK(engine.clock.now() == reached);
  CHECK(engine.driver.warnings.empty());
}

TEST_CASE("kept clock: a clock that stands is exact without a clean end", "[engine]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder copy;
  Moved engine(on_disk(folder));
  engine.clock.go_on(kStart, 0);
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  std::filesystem::copy_file(folder.path() / "data.mdb", copy.path() / "data.mdb");
  Moved after(on_disk(copy));
  CHECK(after.driver.engine().clock().now() == kStart.plus(1h));
}

TEST_CASE("kept clock: what the user chooses comes first", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = on_disk(folder);
  settings.clock.at = Timestamp{1'600'000'000'000'000};
  {
    Moved engine(settings);
    CHECK(engine.driver.engine().clock().now() == *settings.clock.at);
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
    CHECK(engine.advance(1h) == AdvanceOutcome::Arrived);
  }
  const Timestamp reached = settings.clock.at->plus(1h);
  {
    Moved engine(settings);  // the data have come further than where it begins
    CHECK(engine.driver.engine().clock().now() == reached);
    CHECK(engine.clock.pace().stands());
  }
  settings.clock = {.stands = false, .at = {}};
  {
    Moved engine(settings);
    CHECK(engine.clock.pace().rate == 1);
    engine.below.advance(1s);
    CHECK(engine.driver.engine().clock().now() == reached.plus(1s));
    REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"a"}})")).ok);
  }
  settings.clock = {};
  Moved engine(settings);  // as it was kept; the clock below began anew
  CHECK(engine.clock.pace().rate == 1);
  CHECK(engine.driver.engine().clock().now() == reached.plus(1s));
}

TEST_CASE("reset: removes the tables of the scopes meant, in pieces", "[engine]") {
  Moved engine;
  for (int i = 0; i < 450; ++i) {
    const std::string region = i % 2 == 0 ? "even" : "odd";
    REQUIRE(engine.driver.call("CreateTable", hash_table("Table" + std::to_string(i)), region).ok);
  }
  const auto is_even = [](std::string_view scope) { return scope == "even"; };
  const Reset even = reset_tables(engine.driver.engine(), is_even, engine.stop_condition);
  CHECK(even.tables == 225);
  CHECK(even.is_whole);
  CHECK_FALSE(engine.driver.call("DescribeTable", named("Table0"), "even").ok);
  CHECK(engine.driver.call("DescribeTable", named("Table1"), "odd").ok);
  const auto is_any = [](std::string_view) { return true; };
  engine.stop_condition.questions = engine.stop_condition.questions_max;
  const Reset cut_off = reset_tables(engine.driver.engine(), is_any, engine.stop_condition);
  CHECK(cut_off.tables == 200);
  CHECK_FALSE(cut_off.is_whole);
  engine.stop_condition.questions = 0;
  const Reset rest = reset_tables(engine.driver.engine(), is_any, engine.stop_condition);
  CHECK(rest.tables == 25);
  CHECK(rest.is_whole);
}

TEST_CASE("steering: each item expires at its own second", "[engine]") {
  Moved engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine
              .call("UpdateTimeToLive", R"({"TableName":"Things","TimeToLiveSpecification":)"
                                        R"({"AttributeName":"t","Enabled":true}})")
              .ok);
  for (int i = 0; i < 100; ++i) {
    const std::string t = std::to_string(kStart.unix_s() + 7 * i);
    REQUIRE(engine
                .call("PutItem", put_things(R"({"pk":{"S":")" + std::to_string(i) +
                                            R"("},"t":{"N":")" + t + R"("}})"))
                .ok);
  }
  CHECK(engine.advance(70s) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).size() == 90);
  CHECK(engine.advance(1s) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).size() == 89);
  CHECK(engine.advance(59min) == AdvanceOutcome::Arrived);
  CHECK(engine.advance(std::chrono::hours(24 * 365)) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).empty());
}

TEST_CASE("steering: a long move sweeps expired items together, and leaves none", "[engine]") {
  Moved engine;
  const auto put = [&](int number, std::int64_t from_now_s) {
    const std::string t =
        std::to_string(engine.driver.engine().clock().now().unix_s() + from_now_s);
    const Answer answer = engine.call(
        "PutItem",
        put_things(R"({"pk":{"S":")" + std::to_string(number) + R"("},"t":{"N":")" + t + R"("}})"));
    REQUIRE(answer.ok);
  };
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine
              .call("UpdateTimeToLive", R"({"TableName":"Things","TimeToLiveSpecification":)"
                                        R"({"AttributeName":"t","Enabled":true}})")
              .ok);
  for (int i = 0; i < 1000; ++i) put(i, 60 * i);
  const int questions_before = engine.stop_condition.questions;
  CHECK(engine.advance(std::chrono::hours(24 * 365)) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).empty());
  CHECK(engine.stop_condition.questions - questions_before < 200);
  // The last ones, though the next sweep of the move would come later.
  for (int i = 0; i < 10; ++i) put(i, 60 * i);
  put(10, 24 * 365 * 3600 - 2);
  put(11, 24 * 365 * 3600);
  CHECK(engine.advance(std::chrono::hours(24 * 365)) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).size() == 1);
  // On the dot again.
  CHECK(engine.advance(1s) == AdvanceOutcome::Arrived);
  CHECK(content(engine.driver).empty());
}
