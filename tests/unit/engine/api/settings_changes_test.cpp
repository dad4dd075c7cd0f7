// Engine::change_settings(): delays and throttling that change while the engine runs.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/reports/throughput_figures.h"
#include "engine/seams/random.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/full_disk.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace std::chrono_literals;

namespace stator::test {
namespace {

using Items = std::vector<std::string>;
using Change = Engine::SettingsChange;

Settings with_gsi_delay(std::chrono::microseconds delay) {
  Settings settings;
  settings.gsi_delay = delay;
  return settings;
}

void must(const Answer& answer) {
  INFO(answer.json);
  REQUIRE(answer.ok);
}

void change(EngineHarness& engine, const Settings& settings) {
  REQUIRE(engine.engine().change_settings(settings) == Change::Done);
}

// "Things" with the key pk and a global index by g.
void create_indexed(EngineHarness& engine) {
  must(engine.call("CreateTable", hash_table("Things")));
  must(engine.call("UpdateTable", create_index("by_g")));
}

std::string thing(std::string_view key, std::string_view g) {
  return R"({"g":{"S":")" + std::string(g) + R"("},"pk":{"S":")" + std::string(key) + R"("}})";
}

void put(EngineHarness& engine, std::string_view key, std::string_view g) {
  must(engine.call("PutItem", put_things(thing(key, g))));
}

// The index after everything that is due by now.
Items index_after(EngineHarness& engine, std::chrono::microseconds pause = {}) {
  engine.clock().advance(pause);
  maintain_all(engine);
  return content(engine, "by_g");
}

// A table whose items expire by their attribute t.
struct Expiring {
  explicit Expiring(const Settings& at_start) : settings(at_start), engine(at_start) {
    must(engine.call("CreateTable", hash_table("Things")));
    must(engine.call("UpdateTimeToLive", R"({"TableName":"Things","TimeToLiveSpecification":)"
                                         R"({"AttributeName":"t","Enabled":true}})"));
  }

  // One that expires in a second.
  void put() {
    must(engine.call("PutItem",
                     put_things(R"({"pk":{"S":"a"},"t":{"N":")" +
                                std::to_string(engine.clock().now().unix_s() + 1) + R"("}})")));
  }
  bool is_there_after(std::chrono::microseconds pause) {
    engine.clock().advance(pause);
    maintain_all(engine);
    return !content(engine).empty();
  }
  void change() { test::change(engine, settings); }

  Settings settings;
  EngineHarness engine;
};

Settings with_throttling(Throttling throttling) {
  capacity::CapacityParameters parameters;
  parameters.initial_burst_s = 1;
  Settings settings;
  settings.throttling = throttling;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>(parameters);
  return settings;
}

void create_small(EngineHarness& engine, const std::string& name) {
  must(engine.call("CreateTable", R"({"TableName":")" + name +
                                      R"(","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}})"));
}

bool is_throttled(EngineHarness& engine, const std::string& table) {
  const Answer answer =
      engine.call("PutItem", R"({"TableName":")" + table + R"(","Item":{"pk":{"S":"a"}}})");
  return !answer.ok &&
         answer.json.find("ProvisionedThroughputExceededException") != std::string::npos;
}

}  // namespace

TEST_CASE("settings changes: with a shorter delay what waits for it comes earlier", "[engine]") {
  EngineHarness engine(with_gsi_delay(60s));
  create_indexed(engine);
  put(engine, "a", "x");
  engine.clock().advance(8s);
  put(engine, "b", "x");
  std::vector<Timestamp> told;
  engine.engine().on_maintenance_due([&](Timestamp due) { told.push_back(due); });
  change(engine, with_gsi_delay(5s));
  REQUIRE_FALSE(told.empty());
  CHECK(told.back() == Timestamp::min());
  CHECK(index_after(engine) == Items{thing("a", "x")});
  CHECK(index_after(engine, 4s) == Items{thing("a", "x")});
  CHECK(index_after(engine, 1s) == Items{thing("a", "x"), thing("b", "x")});
  put(engine, "c", "x");
  CHECK(index_after(engine, 4s).size() == 2);
  CHECK(index_after(engine, 1s).size() == 3);
}

TEST_CASE("settings changes: with a longer delay what waits for it comes later", "[engine]") {
  EngineHarness engine(with_gsi_delay(5s));
  create_indexed(engine);
  put(engine, "a", "x");
  change(engine, with_gsi_delay(60s));
  CHECK(index_after(engine, 5s).empty());
  CHECK(index_after(engine, 54s).empty());
  CHECK(index_after(engine, 1s) == Items{thing("a", "x")});
}

TEST_CASE("settings changes: without a delay indexes are complete at once", "[engine]") {
  EngineHarness engine(with_gsi_delay(60s));
  create_indexed(engine);
  put(engine, "a", "x");
  CHECK(content(engine, "by_g").empty());
  change(engine, {});
  CHECK(content(engine, "by_g") == Items{thing("a", "x")});
  put(engine, "b", "x");
  CHECK(content(engine, "by_g").size() == 2);
  change(engine, with_gsi_delay(5s));
  put(engine, "c", "x");
  CHECK(content(engine, "by_g").size() == 2);
  CHECK(index_after(engine, 5s).size() == 3);
}

TEST_CASE("settings changes: an index follows its table through all delays", "[engine]") {
  SeededRandom random(36);
  EngineHarness engine;
  create_indexed(engine);
  std::chrono::microseconds delay{0};
  for (int step = 0; step < 500; ++step) {
    const std::string key = std::to_string(random.next() % 9);
    switch (random.next() % 6) {
      case 0:
        must(engine.call("DeleteItem",
                         R"({"TableName":"Things","Key":{"pk":{"S":")" + key + R"("}}})"));
        break;
      case 1:
        delay = std::chrono::seconds(random.next() % 3);
        change(engine, with_gsi_delay(delay));
        break;
      case 2:
        engine.clock().advance(std::chrono::milliseconds(random.next() % 2000));
        engine.maintain({.records_max = 1 + random.next() % 3});
        break;
      default:
        put(engine, key, std::to_string(random.next() % 3));
    }
    if (delay == 0s) REQUIRE(content(engine, "by_g") == content(engine));
  }
  CHECK(index_after(engine, 2s) == content(engine));
}

TEST_CASE("settings changes: a restart has the delays of its start, and loses nothing",
          "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  create_indexed(engine);
  settings.gsi_delay = 60s;
  change(engine, settings);
  put(engine, "a", "x");
  CHECK(content(engine, "by_g").empty());
  engine.reopen();
  CHECK(content(engine, "by_g") == Items{thing("a", "x")});
  put(engine, "b", "x");
  CHECK(content(engine, "by_g").size() == 2);
}

TEST_CASE("settings changes: what waits is adapted when asked again, once the disk has room",
          "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = with_gsi_delay(60s);
  settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  create_indexed(engine);
  put(engine, "a", "x");
  settings.gsi_delay = 0s;
  {
    const storage::FullDisk full(4096);
    CHECK(engine.engine().change_settings(settings) == Change::NotFollowed);
  }
  CHECK(content(engine, "by_g").empty());
  change(engine, settings);
  CHECK(content(engine, "by_g") == Items{thing("a", "x")});
  put(engine, "b", "x");
  CHECK(content(engine, "by_g").size() == 2);
}

TEST_CASE("settings changes: those that cannot be stored leave the old ones in force", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = with_gsi_delay(60s);
  settings.ttl_delay = 1h;
  settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  create_indexed(engine);
  must(engine.call("UpdateTimeToLive", named("Things", R"(,"TimeToLiveSpecification":{)"
                                                       R"("AttributeName":"t","Enabled":true})")));
  Settings wanted = settings;
  wanted.gsi_delay = wanted.ttl_delay = 0s;
  engine.clock().advance(1s);  // so that the commit has the time to write
  {
    const storage::FullDisk full(4096);
    CHECK(engine.engine().change_settings(wanted) == Change::NotStored);
  }
  put(engine, "a", "x");
  must(engine.call("PutItem",
                   put_things(R"({"pk":{"S":"b"},"t":{"N":")" +
                              std::to_string(engine.clock().now().unix_s() + 1) + R"("}})")));
  CHECK(index_after(engine, 59s).empty());
  CHECK(index_after(engine, 1s) == Items{thing("a", "x")});
  CHECK(content(engine).size() == 2);
  change(engine, wanted);
  CHECK(index_after(engine) == Items{thing("a", "x")});
  CHECK(content(engine).size() == 1);
  put(engine, "c", "x");
  CHECK(content(engine, "by_g").size() == 2);
}

TEST_CASE("settings changes: a rollback leaves them", "[engine]") {
  EngineHarness engine;
  create_indexed(engine);
  REQUIRE(engine.engine().set_mark("before") == MarkOutcome::Done);
  change(engine, with_gsi_delay(5s));
  put(engine, "a", "x");
  REQUIRE(engine.engine().roll_back("before") == MarkOutcome::Done);
  put(engine, "b", "x");
  CHECK(index_after(engine).empty());
  CHECK(index_after(engine, 5s) == Items{thing("b", "x")});
}

TEST_CASE("settings changes: expired items wait for the new delay", "[engine]") {
  Settings settings;
  settings.ttl_delay = 1h;
  Expiring table(settings);
  table.put();
  CHECK(table.is_there_after(10s));
  table.settings.ttl_delay = 5s;
  table.change();
  CHECK_FALSE(table.is_there_after(0s));
  table.put();
  table.settings.ttl_delay = 1min;
  table.change();
  CHECK(table.is_there_after(30s));
  CHECK_FALSE(table.is_there_after(40s));
}

TEST_CASE("settings changes: expired items go at the new interval", "[engine]") {
  Settings settings;
  settings.ttl_sweep_interval = 1h;
  Expiring table(settings);
  table.put();
  CHECK_FALSE(table.is_there_after(2s));
  table.put();
  CHECK(table.is_there_after(2s));
  table.settings.ttl_sweep_interval = 1s;
  table.change();
  CHECK_FALSE(table.is_there_after(0s));
  table.put();
  CHECK_FALSE(table.is_there_after(2s));
  table.settings.ttl_sweep_interval = 1h;
  table.change();
  table.put();
  CHECK_FALSE(table.is_there_after(2s));  // the first sweep since
  table.put();
  CHECK(table.is_there_after(2s));
  CHECK_FALSE(table.is_there_after(1h));
}

TEST_CASE("settings changes: expired items stay without an interval, until there is one",
          "[engine]") {
  Expiring table(Settings{});
  table.put();
  table.settings.ttl_sweep_interval = {};
  table.change();
  CHECK(table.is_there_after(1h));
  table.put();
  CHECK(table.is_there_after(1h));
  table.settings.ttl_sweep_interval = 1s;
  table.change();
  CHECK_FALSE(table.is_there_after(0s));
}

TEST_CASE("settings changes: another change lets an interval be", "[engine]") {
  Settings settings;
  settings.ttl_sweep_interval = 1h;
  Expiring table(settings);
  table.put();
  CHECK_FALSE(table.is_there_after(2s));
  table.put();
  table.settings.gsi_delay = 5s;
  table.change();
  CHECK(table.is_there_after(2s));
}

TEST_CASE("settings changes: throttling is that of tables which have none of their own",
          "[throttling]") {
  EngineHarness engine(with_throttling(Throttling::Observe));
  create_small(engine, "First");
  create_small(engine, "Own");
  Engine::Reader reader(engine.engine());
  std::vector<ThroughputStats> figures;
  const auto looked = engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(figures, throughput_figures(snapshot, Isolation::Region));
    return {};
  });
  REQUIRE(looked);
  for (const ThroughputStats& one : figures) {
    if (one.label.table == "Own") one.table->is_throttling_set = true;
  }
  for (const char* table : {"First", "Own"}) {
    CHECK_FALSE(is_throttled(engine, table));
    CHECK_FALSE(is_throttled(engine, table));
  }
  change(engine, with_throttling(Throttling::Enforce));
  CHECK(is_throttled(engine, "First"));
  CHECK_FALSE(is_throttled(engine, "Own"));
  change(engine, with_throttling(Throttling::Off));
  CHECK_FALSE(is_throttled(engine, "First"));
  create_small(engine, "Second");
  for (int i = 0; i < 3; ++i) CHECK_FALSE(is_throttled(engine, "Second"));
  change(engine, with_throttling(Throttling::Enforce));
  CHECK_FALSE(is_throttled(engine, "Second"));  // while it was off nothing was counted
  CHECK(is_throttled(engine, "Second"));
}

TEST_CASE("settings changes: throttling that was off at the start stays off", "[throttling]") {
  EngineHarness engine(with_throttling(Throttling::Off));
  create_small(engine, "First");
  change(engine, with_throttling(Throttling::Enforce));
  create_small(engine, "Second");
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(is_throttled(engine, "First"));
    CHECK_FALSE(is_throttled(engine, "Second"));
  }
}

}  // namespace stator::test
