// What is told of requests beyond the throughput of their tables: which table, how many, why and
// where, each minute and in all.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;

Settings observing(Isolation isolation = Isolation::Region) {
  capacity::CapacityParameters parameters;
  parameters.initial_burst_s = 1;
  parameters.partition_limits = {30, 10};
  parameters.on_demand_initial = {120, 40};
  Settings settings;
  settings.throttling = Throttling::Observe;
  settings.isolation = isolation;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>(parameters);
  return settings;
}

std::string units(int reads, int writes) {
  return R"("ProvisionedThroughput":{"ReadCapacityUnits":)" + std::to_string(reads) +
         R"(,"WriteCapacityUnits":)" + std::to_string(writes) + "}";
}

void create(EngineHarness& engine, const std::string& name, int reads, int writes,
            int index_writes = 0, std::string_view region = "us-east-1",
            std::string_view access_key = "key") {
  std::string index;
  if (index_writes > 0) {
    index = R"(,"GlobalSecondaryIndexes":[{"IndexName":"by_gh",
               "KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],
               "Projection":{"ProjectionType":"KEYS_ONLY"},)" +
            units(1, index_writes) + "}]";
  }
  const std::string mode = writes > 0 ? units(reads, writes) : R"("BillingMode":"PAY_PER_REQUEST")";
  const std::string key = index_writes > 0 ? R"(,{"AttributeName":"gh","AttributeType":"S"})" : "";
  REQUIRE(engine
              .call("CreateTable",
                    R"({"TableName":")" + name + R"(",
                      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"})" +
                        key + "]," + mode + index + "}",
                    region, access_key)
              .ok);
}

void put(EngineHarness& engine, const std::string& table, const std::string& key, int times,
         const std::string& more = "", std::string_view region = "us-east-1",
         std::string_view access_key = "key") {
  for (int i = 0; i < times; ++i) {
    REQUIRE(engine
                .call("PutItem",
                      named(table, R"(,"Item":{"pk":{"S":")" + key + R"("})" + more + "}"), region,
                      access_key)
                .ok);
  }
}

std::string get(const std::string& table, const std::string& key) {
  return named(table, R"(,"ConsistentRead":true,"Key":{"pk":{"S":")" + key + R"("}})");
}

// The lines of the minute that is over by now.
std::vector<std::string> next_minute(EngineHarness& engine) {
  engine.warnings.clear();
  engine.clock().advance(1min);
  engine.maintain();
  return engine.warnings;
}

std::vector<std::string> summary(EngineHarness& engine) {
  engine.warnings.clear();
  engine.reopen();
  return engine.warnings;
}

// A key in that one of four equal partitions.
std::string key_in(std::uint32_t partition) {
  for (int i = 0;; ++i) {
    std::string key = "key-" + std::to_string(i);
    if (storage::partition_hash(key) >> 22 == partition) return key;
  }
}

}  // namespace

TEST_CASE("throttle log: tables of one name in several Regions are told of apart", "[throttling]") {
  EngineHarness engine(observing());
  create(engine, "Things", 1, 1);
  create(engine, "Things", 1, 1, 0, "eu-west-1");
  put(engine, "Things", "a", 3);
  put(engine, "Things", "b", 5, "", "eu-west-1");
  const std::string why =
      " writes would have been throttled: TableWriteProvisionedThroughputExceeded";
  CHECK(next_minute(engine) ==
        std::vector<std::string>{
            "table Things: 4 of 5" + why + ", hottest partition 1 of 1, key \"b\" (eu-west-1)",
            "table Things: 2 of 3" + why + ", hottest partition 1 of 1, key \"a\" (us-east-1)"});
  CHECK(summary(engine) ==
        std::vector<std::string>{"in all, of table Things: 4" + why + " 4 (eu-west-1)",
                                 "in all, of table Things: 2" + why + " 2 (us-east-1)"});
}

TEST_CASE("throttle log: with tables of access keys it names these, too", "[throttling]") {
  EngineHarness engine(observing(Isolation::Key));
  create(engine, "Things", 1, 1, 0, "us-east-1", "alice");
  put(engine, "Things", "a", 2, "", "us-east-1", "alice");
  REQUIRE(next_minute(engine).size() == 1);
  CHECK(engine.warnings.front().find("key \"a\" (us-east-1, access key alice)") !=
        std::string::npos);
}

TEST_CASE("throttle log: reason, index, partition and key belong together", "[throttling]") {
  EngineHarness engine(observing());
  const std::string indexed = R"(,"gh":{"S":"hot"})";
  // Each index passes one item and refuses the rest; each table refuses nothing but reads.
  create(engine, "Things", 1, 9, 1);
  for (const char* key : {"a", "b"}) put(engine, "Things", key, 1, indexed);
  for (int i = 0; i < 4; ++i) REQUIRE(engine.call("GetItem", get("Things", "c")).ok);
  create(engine, "Zoo", 1, 9, 1);
  for (const char* key : {"a", "b", "c", "d"}) put(engine, "Zoo", key, 1, indexed);
  for (int i = 0; i < 2; ++i) REQUIRE(engine.call("GetItem", get("Zoo", "e")).ok);
  CHECK(next_minute(engine) ==
        std::vector<std::string>{
            "table Things: 1 of 2 writes and 3 of 4 reads would have been throttled: "
            "TableReadProvisionedThroughputExceeded, hottest partition 1 of 1, key \"c\" "
            "(us-east-1)",
            "table Zoo: 3 of 4 writes and 1 of 2 reads would have been throttled: "
            "IndexWriteProvisionedThroughputExceeded of index by_gh, hottest partition 1 of 1, key "
            "\"hot\" (us-east-1)"});
  CHECK(summary(engine) ==
        std::vector<std::string>{
            "in all, of table Things: 1 writes and 3 reads would have been throttled: "
            "TableReadProvisionedThroughputExceeded 3, IndexWriteProvisionedThroughputExceeded 1 "
            "(us-east-1)",
            "in all, of table Zoo: 3 writes and 1 reads would have been throttled: "
            "IndexWriteProvisionedThroughputExceeded 3, TableReadProvisionedThroughputExceeded 1 "
            "(us-east-1)"});
}

TEST_CASE("throttle log: partition and key are those of the minute", "[throttling]") {
  EngineHarness engine(observing());
  create(engine, "Things", 0, 0);
  const std::string first = key_in(2);
  const std::string second = key_in(0);
  put(engine, "Things", first, 40);
  put(engine, "Things", second, 12);
  CHECK(next_minute(engine) ==
        std::vector<std::string>{
            "table Things: 32 of 52 writes would have been throttled: "
            "TableWriteKeyRangeThroughputExceeded, hottest partition 3 of 4, key \"" +
            first + "\" (us-east-1)"});
  put(engine, "Things", second, 13);
  CHECK(next_minute(engine) ==
        std::vector<std::string>{
            "table Things: 3 of 13 writes would have been throttled: "
            "TableWriteKeyRangeThroughputExceeded, hottest partition 1 of 4, key \"" +
            second + "\" (us-east-1)"});
  CHECK(next_minute(engine).empty());
}

TEST_CASE("throttle log: a key is shown as its owner writes it", "[throttling]") {
  EngineHarness engine(observing());
  int tables = 0;
  const auto key_told = [&](const std::string& type, const std::string& value) {
    const std::string name = "Table" + std::to_string(++tables);
    REQUIRE(engine
                .call("CreateTable", R"({"TableName":")" + name + R"(",
                      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":")" +
                                         type + "\"}]," + units(1, 1) + "}")
                .ok);
    for (int i = 0; i < 3; ++i) {
      REQUIRE(
          engine
              .call("PutItem", named(name, R"(,"Item":{"pk":{")" + type + "\":\"" + value + "\"}}"))
              .ok);
    }
    const std::vector<std::string> lines = next_minute(engine);
    REQUIRE(lines.size() == 1);
    const std::size_t begin = lines.front().find(", key ") + 6;
    return lines.front().substr(begin, lines.front().rfind(" (") - begin);
  };
  CHECK(key_told("N", "2013") == "2013");
  CHECK(key_told("N", "-0.50") == "-0.5");
  CHECK(key_told("S", "Jürgen") == "\"Jürgen\"");
  CHECK(key_told("S", R"(a\nb)") == "\"a\\nb\"");
  CHECK(key_told("B", "AAEC") == "B AAEC");
  CHECK(key_told("B", "aGVsbG8=") == "B aGVsbG8=");
  CHECK(key_told("S", std::string(80, 'x')) == "\"" + std::string(64, 'x') + "…");
}

TEST_CASE("throttle log: a key of several attributes is shown with all of them", "[throttling]") {
  EngineHarness engine(observing());
  REQUIRE(engine
              .call("CreateTable", R"({"TableName":"Things",
                    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                      {"AttributeName":"g","AttributeType":"N"},
                      {"AttributeName":"h","AttributeType":"S"}],)" +
                                       units(9, 9) +
                                       R"(,"GlobalSecondaryIndexes":[{"IndexName":"by_gh",
                      "KeySchema":[{"AttributeName":"g","KeyType":"HASH"},
                        {"AttributeName":"h","KeyType":"HASH"}],
                      "Projection":{"ProjectionType":"KEYS_ONLY"},)" +
                                       units(1, 1) + "}]}")
              .ok);
  const std::string values = R"(,"g":{"N":"2013"},"h":{"S":"Jürgen"})";
  for (const char* key : {"a", "b", "c"}) put(engine, "Things", key, 1, values);
  const std::vector<std::string> lines = next_minute(engine);
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().find("of index by_gh, hottest partition 1 of 1, key 2013, \"Jürgen\" (") !=
        std::string::npos);
}

TEST_CASE("throttle log: the summary has the worst tables, deleted ones too", "[throttling]") {
  EngineHarness engine(observing());
  for (int i = 1; i <= 22; ++i) {
    const std::string name = "Table" + std::to_string(i);
    create(engine, name, 1, 1);
    put(engine, name, "a", 1 + i);
    REQUIRE(engine.call("DeleteTable", named(name)).ok);
  }
  CHECK(next_minute(engine).size() == 22);
  const std::vector<std::string> told = summary(engine);
  REQUIRE(told.size() == 21);
  CHECK(told.front().find("of table Table22: 22 writes") != std::string::npos);
  CHECK(told[19].find("of table Table3: 3 writes") != std::string::npos);
  CHECK(told.back() == "and of 2 more tables, see --throttling");
}

TEST_CASE("throttle log: threads that are refused at once are all counted", "[throttling]") {
  constexpr int kThreads = 3;
  constexpr int kReads = 2'000;
  EngineHarness engine(observing());
  create(engine, "Things", 1, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&engine] {
      for (int n = 0; n < kReads; ++n) engine.call("GetItem", get("Things", "a"));
    });
  }
  for (int i = 0; i < 50; ++i) {
    engine.clock().advance(1min);
    engine.maintain();
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t refused = 0;
  const auto count = [&refused](const Snapshot& snapshot) -> Result<void> {
    snapshot.catalog().for_each([&](const Table& table) {
      const auto report = table.runtime->throughput->report(snapshot.now());
      for (const std::uint64_t by_limit : report.sides[0].refused) refused += by_limit;
    });
    return {};
  };
  Engine::Reader reader(engine.engine());
  REQUIRE(engine.engine().look(reader, count));
  REQUIRE(refused > 0);
  std::uint64_t told = 0;
  engine.clock().advance(1min);
  engine.maintain();
  for (const std::string& line : engine.warnings) {
    std::string digits = line.substr(line.find(": ") + 2);
    digits = digits.substr(0, digits.find(" of "));
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    told += std::stoull(digits);
  }
  CHECK(told == refused);
}

}  // namespace stator::test
