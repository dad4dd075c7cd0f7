// Which partitions a page costs: those there are at the moment, also where they divide a
// collection.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/reports/throughput_figures.h"
#include "engine/schema/partitions.h"
#include "engine/state/snapshot.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using capacity::Dimension;
using capacity::ThroughputState;
using StatePtr = std::shared_ptr<ThroughputState>;

constexpr std::int64_t kFullMicro = 3000 * capacity::kMicroPerUnit;

// A table on demand of one collection, with ten items of sort keys 0 to 9.
class Collection {
 public:
  Collection() {
    REQUIRE(engine_
                .call("CreateTable",
                      R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST","KeySchema":[)"
                      R"({"AttributeName":"pk","KeyType":"HASH"},)"
                      R"({"AttributeName":"sk","KeyType":"RANGE"}],"AttributeDefinitions":[)"
                      R"({"AttributeName":"pk","AttributeType":"S"},)"
                      R"({"AttributeName":"sk","AttributeType":"S"}]})")
                .ok);
    for (char sort = '0'; sort <= '9'; ++sort)
      REQUIRE(engine_.call("PutItem", R"({"TableName":"Things","Item":)" + key(sort) + "}").ok);
    Engine::Reader reader(engine_.engine());
    storage::unwrap(engine_.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(const auto figures, throughput_figures(snapshot, Settings().isolation));
      state_ = figures.front().state;
      return {};
    }));
  }

  static std::string key(char sort) {
    return std::string(R"({"pk":{"S":"a"},"sk":{"S":")") + sort + R"("}})";
  }
  static std::uint32_t hash() { return storage::partition_hash("a"); }

  void split(const capacity::Position& at) { REQUIRE(state_->split_for_size(at, 0, now())); }
  Timestamp now() { return engine_.engine().clock().now(); }

  // What it costs, and the partitions that are charged, by their order.
  std::string scan(const std::string& more = "") { return units("Scan", more); }
  std::string query(const std::string& range = "", const std::string& more = "") {
    return units("Query", R"(,"KeyConditionExpression":"pk = :p)" + range +
                              R"(","ExpressionAttributeValues":{":p":{"S":"a"})" +
                              (range.empty() ? "" : R"(,":s":{"S":"5"})") + "}" + more);
  }

 private:
  std::string units(const std::string& operation, const std::string& more) {
    const std::vector<std::int64_t> before = drawn();
    const std::string units =
        engine_
            .call(operation,
                  R"({"TableName":"Things","ReturnConsumedCapacity":"TOTAL")" + more + "}")
            .member("CapacityUnits");
    const std::vector<std::int64_t> after = drawn();
    std::string charged = units + " of";
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] != before[i]) charged += " " + std::to_string(i);
    }
    return charged;
  }

  std::vector<std::int64_t> drawn() {
    std::vector<std::int64_t> drawn_micro;
    for (const auto& part : state_->report(now()).partitions)
      drawn_micro.push_back(kFullMicro - part.sides[0].limit.balance_micro);
    return drawn_micro;
  }

  EngineHarness engine_;
  StatePtr state_;
};

}  // namespace

TEST_CASE("page partitions: a Scan walks through those that there are", "[engine][capacity]") {
  Collection things;
  CHECK(things.scan() == "2.0 of 0 1 2 3");
  things.split({1, {}});
  CHECK(things.scan() == "2.5 of 0 1 2 3 4");
  const std::uint32_t own = partition_of(Collection::hash(), 4) + 1;
  CHECK(things.scan(R"(,"Segment":0,"TotalSegments":4)") == "1.0 of 0 1");
  CHECK(things.scan(R"(,"ExclusiveStartKey":)" + Collection::key('9')).substr(4, 4) ==
        "of " + std::to_string(own));
}

TEST_CASE("page partitions: a collection that is divided", "[engine][capacity]") {
  Collection things;
  const std::uint32_t low = partition_of(Collection::hash(), 4);
  const std::string first = std::to_string(low);
  const std::string second = std::to_string(low + 1);
  CHECK(things.query() == "0.5 of " + first);
  things.split({Collection::hash(), "5"});
  const std::string both = "1.0 of " + first + " " + second;
  CHECK(things.query() == both);
  CHECK(things.query("", R"(,"ScanIndexForward":false)") == both);
  CHECK(things.query(" AND sk < :s") == "0.5 of " + first);
  CHECK(things.query(" AND sk < :s", R"(,"ScanIndexForward":false)") == "0.5 of " + first);
  CHECK(things.query(" AND sk >= :s") == "0.5 of " + second);
  CHECK(things.query(" AND sk <= :s", R"(,"ScanIndexForward":false)") == both);
  CHECK(things.query("", R"(,"Limit":5)") == "0.5 of " + first);
  CHECK(things.query("", R"(,"Limit":6)") == both);
  CHECK(things.query("", R"(,"Limit":5,"ScanIndexForward":false)") == "0.5 of " + second);
  CHECK(things.query("", R"(,"Limit":6,"ScanIndexForward":false)") == both);
  CHECK(things.query("", R"(,"ExclusiveStartKey":)" + Collection::key('6')) == "0.5 of " + second);
  // Three ways, and a Scan in the middle of it.
  things.split({Collection::hash(), "8"});
  CHECK(things.query() == "1.5 of " + first + " " + second + " " + std::to_string(low + 2));
  CHECK(things.query("", R"(,"Limit":3,"ScanIndexForward":false)").substr(0, 3) == "1.0");
  CHECK(things.scan() == "3.0 of 0 1 2 3 4 5");
  CHECK(things.scan(R"(,"Limit":7,"ExclusiveStartKey":)" + Collection::key('1')) ==
        "1.5 of " + first + " " + second + " " + std::to_string(low + 2));
}

}  // namespace stator::test
