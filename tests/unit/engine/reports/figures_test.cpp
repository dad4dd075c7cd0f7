#include "engine/reports/figures.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/engine.h"
#include "tests/unit/engine/harness/engine_driver.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow_s = 1'790'000'000;  // of the driver's clock, which is 123 ms further

template <class Figures>
Figures look(Engine& engine, Result<Figures> (*take)(const Snapshot&, Isolation),
             Isolation isolation = Isolation::Region) {
  Figures figures;
  Engine::Reader reader(engine);
  REQUIRE(engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(figures, take(snapshot, isolation));
    return {};
  }));
  return figures;
}

void create(test::EngineDriver& driver, const std::string& name, const std::string& more = "",
            std::string_view region = "us-east-1", std::string_view key = "key") {
  const std::string body = R"({"TableName":")" + name +
                           R"(","BillingMode":"PAY_PER_REQUEST",)"
                           R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                           R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}])" +
                           more + "}";
  REQUIRE(driver.call("CreateTable", body, region, key).ok);
}

void put(test::EngineDriver& driver, const std::string& table, const std::string& attributes) {
  REQUIRE(
      driver.call("PutItem", R"({"TableName":")" + table + R"(","Item":{)" + attributes + "}}").ok);
}

std::string expiring(const std::string& key, std::int64_t at_s) {
  return R"("pk":{"S":")" + key + R"("},"ttl":{"N":")" + std::to_string(at_s) + R"("})";
}

TEST_CASE("figures: whose tables have them", "[engine]") {
  CHECK(label_of("", "us-east-1", "t", Isolation::None) == TableLabel{"us-east-1", "", "t"});
  CHECK(label_of("us-east-1", "us-east-1", "t", Isolation::Region) ==
        TableLabel{"us-east-1", "", "t"});
  CHECK(label_of("key/us-east-1", "us-east-1", "t", Isolation::Key) ==
        TableLabel{"us-east-1", "key", "t"});
  // What was left by another kind of isolation could have the same name.
  for (const std::string_view scope : {"", "us-east-1", "key/us-east-1"}) {
    int seen = 0;
    for (const Isolation isolation : {Isolation::None, Isolation::Region, Isolation::Key})
      seen += label_of(scope, "us-east-1", "t", isolation).has_value();
    CHECK(seen == 1);
  }
}

TEST_CASE("figures: of tables and indexes, as DescribeTable tells them", "[engine]") {
  test::EngineDriver driver;
  create(driver, "plain");
  create(driver, "plain", "", "eu-west-1");
  create(driver, "indexed",
         R"(,"GlobalSecondaryIndexes":[{"IndexName":"all-of-it",)"
         R"("Projection":{"ProjectionType":"ALL"},)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}])");
  put(driver, "indexed", R"("pk":{"S":"a"})");
  put(driver, "indexed", R"("pk":{"S":"bc"})");
  const auto figures = look(driver.engine(), space_figures);
  REQUIRE(figures.size() == 4);
  CHECK(figures[0].label == TableLabel{"eu-west-1", "", "plain"});
  CHECK(figures[1].label == TableLabel{"us-east-1", "", "indexed"});
  CHECK(figures[1].index.empty());
  CHECK(figures[1].stats.item_count == 2);
  CHECK(figures[1].stats.size_bytes == 7);
  CHECK(figures[2].index == "all-of-it");
  CHECK(figures[2].stats.item_count == 2);
  const std::string told = driver.call("DescribeTable", R"({"TableName":"indexed"})").json;
  const std::string size = std::to_string(figures[2].stats.size_bytes);
  CHECK(told.find("\"IndexSizeBytes\":" + size + ",\"ItemCount\":2") != std::string::npos);
  CHECK(figures[3].label == TableLabel{"us-east-1", "", "plain"});
  CHECK(figures[3].stats.item_count == 0);
}

TEST_CASE("figures: for how long expired items have been there", "[engine]") {
  Settings settings;
  settings.ttl_sweep_interval = 0s;  // nobody deletes them
  test::EngineDriver driver(settings);
  create(driver, "idle");
  create(driver, "mortal");
  CHECK(look(driver.engine(), expiry_figures).empty());
  REQUIRE(driver
              .call("UpdateTimeToLive",
                    R"({"TableName":"mortal","TimeToLiveSpecification":{"Enabled":true,)"
                    R"("AttributeName":"ttl"}})")
              .ok);
  while (driver.sweep()) {
  }
  const auto lag = [&] {
    const auto figures = look(driver.engine(), expiry_figures);
    REQUIRE(figures.size() == 1);
    CHECK(figures[0].label.table == "mortal");
    return figures[0].lag;
  };
  CHECK(lag() == 0us);
  put(driver, "mortal", expiring("later", kNow_s + 100));
  CHECK(lag() == 0us);
  driver.clock().advance(100s);
  CHECK(lag() == 0us);  // the second is not over
  driver.clock().advance(1s);
  CHECK(lag() == 123ms);
  driver.clock().advance(1h);
  CHECK(lag() == 1h + 123ms);
  // One that expired more than five years ago stays for ever, and is nobody's lag.
  put(driver, "mortal", expiring("ancient", kNow_s - 6 * 365 * 86'400));
  CHECK(lag() == 1h + 123ms);
  REQUIRE(driver.call("DeleteItem", R"({"TableName":"mortal","Key":{"pk":{"S":"later"}}})").ok);
  CHECK(lag() == 0us);
}

TEST_CASE("figures: what time to live deleted", "[engine]") {
  test::EngineDriver driver;
  create(driver, "mortal");
  REQUIRE(driver
              .call("UpdateTimeToLive",
                    R"({"TableName":"mortal","TimeToLiveSpecification":{"Enabled":true,)"
                    R"("AttributeName":"ttl"}})")
              .ok);
  const auto deleted = [&] {
    while (driver.sweep()) {
    }
    const auto figures = look(driver.engine(), expiry_figures);
    REQUIRE(figures.size() == 1);
    return figures[0].deleted;
  };
  for (const char* key : {"a", "b", "c"}) put(driver, "mortal", expiring(key, kNow_s + 100));
  CHECK(deleted() == 0);
  // What a client deletes is none.
  REQUIRE(driver.call("DeleteItem", R"({"TableName":"mortal","Key":{"pk":{"S":"c"}}})").ok);
  driver.clock().advance(101s);
  CHECK(deleted() == 2);
  put(driver, "mortal", expiring("d", kNow_s));
  driver.clock().advance(1s);  // the next sweep
  CHECK(deleted() == 3);
  CHECK(deleted() == 3);
}

TEST_CASE("figures: of streams, beyond the life of their tables", "[engine]") {
  test::EngineDriver driver;
  const std::string stream =
      R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})";
  create(driver, "quiet", stream);
  create(driver, "plain");
  create(driver, "told", stream);
  AllStreamFigures figures = look(driver.engine(), stream_figures);
  CHECK(figures.streams == 2);
  CHECK(figures.tables.empty());
  put(driver, "told", R"("pk":{"S":"a"})");
  driver.clock().advance(10s);
  put(driver, "told", R"("pk":{"S":"b"})");
  driver.clock().advance(5s);
  const auto check_age = [&](std::chrono::microseconds age) {
    figures = look(driver.engine(), stream_figures);
    CHECK(figures.streams == 2);
    REQUIRE(figures.tables.size() == 1);
    CHECK(figures.tables[0].label == TableLabel{"us-east-1", "", "told"});
    CHECK(figures.tables[0].oldest_record_age == age);
    CHECK(figures.journal_bytes > 0);
  };
  check_age(15s);
  REQUIRE(driver.call("DeleteTable", R"({"TableName":"told"})").ok);
  check_age(15s);
  // A table of the same name has a stream of its own; the older record counts.
  driver.clock().advance(1min);
  while (driver.sweep()) {
  }
  create(driver, "told", stream);
  put(driver, "told", R"("pk":{"S":"c"})");
  figures = look(driver.engine(), stream_figures);
  CHECK(figures.streams == 3);
  REQUIRE(figures.tables.size() == 1);
  CHECK(figures.tables[0].oldest_record_age == 75s);
}

}  // namespace
}  // namespace stator
