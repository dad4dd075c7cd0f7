// What tables can serve, over a restart and a kill: partitions, splits, raises, peaks, what was set
// for a table, what buckets have.
#include <chrono>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "engine/reports/throughput_figures.h"
#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;
using capacity::ThroughputReport;
using StatePtr = std::shared_ptr<capacity::ThroughputState>;

Settings on_disk(const std::filesystem::path& folder,
                 capacity::CapacityParameters parameters = {}) {
  parameters.initial_burst_s = 1;
  Settings settings;
  settings.throttling = Throttling::Enforce;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>(parameters);
  settings.storage.folder = folder;
  return settings;
}

std::string table_of(const std::string& members) {
  return R"({"TableName":"Things","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
         R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)" +
         members + "}";
}
const std::string kOnDemand = table_of(R"("BillingMode":"PAY_PER_REQUEST")");

std::string provisioned(int units) {
  const std::string number = std::to_string(units);
  return R"("ProvisionedThroughput":{"ReadCapacityUnits":)" + number + R"(,"WriteCapacityUnits":)" +
         number + "}";
}

// As figures find it.
ThroughputStats figures(EngineHarness& engine, const std::string& index = "") {
  std::vector<ThroughputStats> all;
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(all, throughput_figures(snapshot, Settings().isolation));
    return {};
  }));
  for (const ThroughputStats& one : all) {
    if (one.index == index) return one;
  }
  FAIL("there is no such table");
  return {};
}

ThroughputReport report(EngineHarness& engine) {
  return figures(engine).state->report(engine.engine().clock().now());
}

// A copy of the folder as a kill would leave it now.
std::filesystem::path copy_of(const storage::TemporaryFolder& folder,
                              const storage::TemporaryFolder& other) {
  std::filesystem::copy_file(folder.path() / "data.mdb", other.path() / "data.mdb");
  return other.path();
}

void maintain(EngineHarness& engine) {
  while (engine.engine().maintain().is_due) {
  }
}

bool put(EngineHarness& engine, const std::string& key, const std::string& filler = "") {
  return engine
      .call("PutItem", R"({"TableName":"Things","Item":{"pk":{"S":")" + key +
                           R"("},"filler":{"S":")" + filler + R"("}}})")
      .ok;
}

}  // namespace

TEST_CASE(
    "persisted throughput: partitions and what was set for a table outlive a restart and a kill",
    "[throttling]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder killed;
  EngineHarness engine(on_disk(folder.path()));
  REQUIRE(engine.call("CreateTable", kOnDemand).ok);
  const ThroughputStats table = figures(engine);
  table.state->divide(7, engine.engine().clock().now());
  table.table->throttling.store(Throttling::Observe);
  table.table->is_throttling_set.store(true);
  table.state->mark_changed();
  REQUIRE(engine.engine().persist_throughput());
  const auto partitions = report(engine).partitions;
  REQUIRE(partitions.size() > 7);
  {
    EngineHarness other(on_disk(copy_of(folder, killed)));
    CHECK(report(other).partitions.size() == partitions.size());
    CHECK(figures(other).table->throttling == Throttling::Observe);
    CHECK(report(other).splits.size() == report(engine).splits.size());
  }
  engine.reopen();
  const ThroughputReport again = report(engine);
  REQUIRE(again.partitions.size() == partitions.size());
  for (std::size_t i = 0; i < partitions.size(); ++i)
    CHECK(again.partitions[i].begin == partitions[i].begin);
  CHECK(figures(engine).table->throttling == Throttling::Observe);
}

TEST_CASE("persisted throughput: the flag goes for tables that nothing was set for",
          "[throttling]") {
  const storage::TemporaryFolder folder;
  Settings settings = on_disk(folder.path());
  {
    EngineHarness engine(settings);
    REQUIRE(engine.call("CreateTable", kOnDemand).ok);
    figures(engine).state->divide(8, engine.engine().clock().now());
  }
  settings.throttling = Throttling::Observe;
  {
    EngineHarness engine(settings);
    CHECK(figures(engine).table->throttling == Throttling::Observe);
    CHECK(report(engine).partitions.size() == 8);
  }
  settings.throttling = Throttling::Off;
  { EngineHarness engine(settings); }
  settings.throttling = Throttling::Enforce;
  EngineHarness engine(settings);
  CHECK(report(engine).partitions.size() == 8);
}

TEST_CASE(
    "persisted throughput: a peak is stored when its window ends, though nobody asks any more",
    "[throttling]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder killed;
  capacity::CapacityParameters parameters;
  parameters.on_demand_initial = {4, 4};
  parameters.partition_limits = {100'000, 100'000};
  EngineHarness engine(on_disk(folder.path(), parameters));
  REQUIRE(engine.call("CreateTable", kOnDemand).ok);
  for (int i = 0; i < 600; ++i) REQUIRE(put(engine, std::to_string(i % 10)));  // 10 a second
  const MaintenanceState left = engine.engine().maintain();
  REQUIRE(left.next_due);
  CHECK(*left.next_due <= engine.engine().clock().now().plus(60s));
  engine.clock().advance(60s);
  maintain(engine);
  Settings settings = on_disk(copy_of(folder, killed), parameters);
  EngineHarness other(settings, engine.clock());
  CHECK(report(other).warm.write_units == 4);
  engine.clock().advance(1800s);
  CHECK(report(other).warm.write_units == 20);
  CHECK(report(engine).warm.write_units == 20);
}

TEST_CASE("persisted throughput: a table that nobody asks anything of is left alone",
          "[throttling]") {
  const storage::TemporaryFolder folder;
  EngineHarness engine(on_disk(folder.path()));
  REQUIRE(engine.call("CreateTable", kOnDemand).ok);
  REQUIRE(put(engine, "a"));
  for (int window = 0; window < 3; ++window) {
    engine.clock().advance(60s);
    maintain(engine);
  }
  CHECK_FALSE(engine.engine().maintain().next_due);
  REQUIRE(put(engine, "a"));
  CHECK(engine.engine().maintain().next_due);
}

TEST_CASE("persisted throughput: buckets go on as if the process had not ended", "[throttling]") {
  const storage::TemporaryFolder folder;
  ManualClock clock{Timestamp{1'790'000'000'000'000}};
  {
    EngineHarness engine(on_disk(folder.path()), clock);
    REQUIRE(engine.call("CreateTable", table_of(provisioned(2))).ok);
    REQUIRE(put(engine, "a"));
    REQUIRE(put(engine, "a"));
    REQUIRE_FALSE(put(engine, "a"));
  }
  {
    EngineHarness engine(on_disk(folder.path()), clock);
    REQUIRE_FALSE(put(engine, "a"));
  }
  clock.advance(10s);
  EngineHarness engine(on_disk(folder.path()), clock);
  for (int i = 0; i < 20; ++i) CHECK(put(engine, "a"));
  CHECK_FALSE(put(engine, "a"));
}

TEST_CASE("persisted throughput: a kill loses what was drawn in the last second", "[throttling]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder early;
  const storage::TemporaryFolder late;
  ManualClock clock{Timestamp{1'790'000'000'000'000}};
  EngineHarness engine(on_disk(folder.path()), clock);
  REQUIRE(engine.call("CreateTable", table_of(provisioned(5))).ok);
  clock.advance(10s);
  maintain(engine);
  for (int i = 0; i < 55; ++i) REQUIRE(put(engine, "a"));
  REQUIRE_FALSE(put(engine, "a"));
  const auto passes_from = [&clock](const std::filesystem::path& copy) {
    EngineHarness other(on_disk(copy), clock);
    int passed = 0;
    while (put(other, "a")) ++passed;
    return passed;
  };
  const std::filesystem::path early_copy = copy_of(folder, early);
  clock.advance(1s);
  maintain(engine);
  const std::filesystem::path late_copy = copy_of(folder, late);
  clock.advance(3s);
  CHECK(passes_from(late_copy) == 20);
  CHECK(passes_from(early_copy) == 75);
}

TEST_CASE("persisted throughput: an idle process stores nothing", "[throttling]") {
  const storage::TemporaryFolder folder;
  Settings settings = on_disk(folder.path());
  settings.capacity = std::make_shared<const capacity::CapacityParameters>();  // begin full
  EngineHarness engine(settings);
  REQUIRE(engine.call("CreateTable", table_of(provisioned(5))).ok);
  CHECK_FALSE(engine.engine().maintain().next_due);
  for (int i = 0; i < 100; ++i) REQUIRE(put(engine, "a"));
  for (int window = 0; window < 3; ++window) {
    engine.clock().advance(60s);
    maintain(engine);
  }
  CHECK_FALSE(engine.engine().maintain().next_due);
}

TEST_CASE("persisted throughput: it goes with its table, and what is left makes sense",
          "[throttling]") {
  const storage::TemporaryFolder folder;
  EngineHarness engine(on_disk(folder.path()));
  REQUIRE(engine.call("CreateTable", kOnDemand).ok);
  figures(engine).state->divide(8, engine.engine().clock().now());
  REQUIRE(engine.engine().persist_throughput());
  REQUIRE(engine.call("DeleteTable", named("Things")).ok);
  REQUIRE(engine.call("CreateTable", kOnDemand).ok);
  CHECK(report(engine).partitions.size() == 4);
  engine.reopen();
  CHECK(report(engine).partitions.size() == 4);
}

TEST_CASE(
    "persisted throughput: entries of an index that are erased together leave no negative bytes",
    "[throttling]") {
  const storage::TemporaryFolder folder;
  EngineHarness engine(on_disk(folder.path()));
  REQUIRE(
      engine
          .call(
              "CreateTable",
              R"({"TableName":"Things","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
              R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
              R"({"AttributeName":"filler","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST",)"
              R"("GlobalSecondaryIndexes":[{"IndexName":"ByFiller","KeySchema":)"
              R"([{"AttributeName":"filler","KeyType":"HASH"}],)"
              R"("Projection":{"ProjectionType":"ALL"}}]})")
          .ok);
  std::string deletes;
  for (int i = 0; i < 12; ++i) {
    const std::string key = "k" + std::to_string(i);
    REQUIRE(put(engine, key, key + std::string(i == 0 ? 2'000 : 1, '-')));
    if (!deletes.empty()) deletes += ',';
    deletes.append(R"({"Delete":{"TableName":"Things","Key":{"pk":{"S":")" + key + R"("}}}})");
  }
  // The long entry's bytes are taken from all partitions alike.
  REQUIRE(engine.call("TransactWriteItems", R"({"TransactItems":[)" + deletes + "]}").ok);
  const StatePtr index = figures(engine, "ByFiller").state;
  REQUIRE(index->partitions().count() == 4);
  for (const auto& partition : index->report(engine.engine().clock().now()).partitions)
    CHECK(partition.size_bytes >= 0);
  index->mark_changed();
  REQUIRE(engine.engine().persist_throughput());
  engine.reopen();
  for (const auto& partition :
       figures(engine, "ByFiller").state->report(engine.engine().clock().now()).partitions)
    CHECK(partition.size_bytes == 0);
}

TEST_CASE("persisted throughput: what is described and not persisted yet is caught up with",
          "[throttling]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder killed;
  EngineHarness engine(on_disk(folder.path()));
  REQUIRE(engine.call("CreateTable", table_of(provisioned(500))).ok);
  figures(engine).state->divide(2, engine.engine().clock().now());
  REQUIRE(engine.engine().persist_throughput());
  REQUIRE(engine.call("UpdateTable", R"({"TableName":"Things",)" + provisioned(3000) + "}").ok);
  EngineHarness other(on_disk(copy_of(folder, killed)));
  CHECK(report(other).partitions.size() == 4);
  CHECK(report(other).warm == Throughput{3000, 3000});
}

}  // namespace stator::test
