// Requests beyond the throughput of their tables: what is refused, what is served and told of, and
// what neither takes.
#include <chrono>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;

Settings with(Throttling throttling) {
  capacity::CapacityParameters parameters;
  parameters.initial_burst_s = 1;
  Settings settings;
  settings.throttling = throttling;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>(parameters);
  return settings;
}

std::string key(const std::string& name) { return R"({"pk":{"S":")" + name + R"("}})"; }
std::string thing(const std::string& members) {
  return R"({"TableName":"Things",)" + members + "}";
}
std::string put(const std::string& name) { return thing(R"("Item":)" + key(name)); }
std::string get(const std::string& name) {
  return thing(R"("ConsistentRead":true,"Key":)" + key(name));
}

// Two units of reading and two of writing a second; so much is saved at first.
struct SmallTable {
  explicit SmallTable(Throttling throttling = Throttling::Enforce) : engine(with(throttling)) {
    REQUIRE(engine
                .call("CreateTable", R"({"TableName":"Things",
              "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
              "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                      {"AttributeName":"gh","AttributeType":"S"}],
              "ProvisionedThroughput":{"ReadCapacityUnits":2,"WriteCapacityUnits":2},
              "GlobalSecondaryIndexes":[{"IndexName":"by_gh",
                "KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],
                "Projection":{"ProjectionType":"KEYS_ONLY"},
                "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}]})")
                .ok);
  }

  EngineHarness engine;
};

const std::string kWritesExceeded =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",)"
    R"("message":"The level of configured provisioned throughput for the table was exceeded. )"
    R"(Consider increasing your provisioning level with the UpdateTable API.",)"
    R"("ThrottlingReasons":[{"reason":"TableWriteProvisionedThroughputExceeded",)"
    R"("resource":"arn:aws:dynamodb:us-east-1:000000000000:table/Things"}]})";

}  // namespace

TEST_CASE("throttling: a write beyond what is provisioned is refused and changes nothing",
          "[throttling]") {
  SmallTable table;
  CHECK(table.engine.call("PutItem", put("a")).ok);
  CHECK(table.engine.call("PutItem", put("b")).ok);
  CHECK(table.engine.call("PutItem", put("c")).json == kWritesExceeded);
  CHECK(table.engine.call("GetItem", get("c")).json == "{}");
  table.engine.clock().advance(1s);
  CHECK(table.engine.call("PutItem", put("c")).ok);
}

TEST_CASE("throttling: reads are refused where they begin, and pages owe what they cost",
          "[throttling]") {
  SmallTable table;
  CHECK(table.engine.call("GetItem", get("a")).ok);
  CHECK(table.engine.call("Scan", thing(R"("ConsistentRead":true)")).ok);
  const std::string query = thing(R"("KeyConditionExpression":"pk = :p",
                                     "ExpressionAttributeValues":{":p":{"S":"a"}})");
  for (const auto& [operation, body] :
       {std::pair{"GetItem", get("a")}, {"Query", query}, {"Scan", thing(R"("Limit":1)")}}) {
    const Answer answer = table.engine.call(operation, body);
    CHECK(answer.json.find("TableReadProvisionedThroughputExceeded") != std::string::npos);
  }
  const Answer of_index = table.engine.call("Scan", thing(R"("IndexName":"by_gh")"));
  CHECK(of_index.ok);  // an index has its own
  table.engine.clock().advance(1s);
  CHECK(table.engine.call("Query", query).ok);
}

TEST_CASE("throttling: a write waits for its indexes, too", "[throttling]") {
  SmallTable table;
  const auto put_indexed = [&](const std::string& name) {
    return table.engine.call("PutItem",
                             thing(R"("Item":{"pk":{"S":")" + name + R"("},"gh":{"S":"x"}})"));
  };
  CHECK(put_indexed("a").ok);
  const Answer refused = put_indexed("b");
  CHECK(refused.json.find("IndexWriteProvisionedThroughputExceeded") != std::string::npos);
  CHECK(refused.json.find("table/Things/index/by_gh") != std::string::npos);
  CHECK(table.engine.call("PutItem", put("c")).ok);  // nothing was taken from the table
}

TEST_CASE("throttling: a condition that does not hold costs as much", "[throttling]") {
  SmallTable table;
  const std::string failing =
      thing(R"("Key":)" + key("a") + R"x(,"ConditionExpression":"attribute_exists(pk)")x");
  CHECK(table.engine.call("DeleteItem", failing).json.find("ConditionalCheckFailed") !=
        std::string::npos);
  CHECK(table.engine.call("DeleteItem", failing).json.find("ConditionalCheckFailed") !=
        std::string::npos);
  CHECK(table.engine.call("DeleteItem", failing).json == kWritesExceeded);
}

TEST_CASE("throttling: a condition that does not hold waits for indexes and costs them nothing",
          "[throttling]") {
  SmallTable table;
  const auto indexed = [](const std::string& name, const std::string& condition) {
    return thing(R"("Item":{"pk":{"S":")" + name + R"("},"gh":{"S":"x"}})" + condition);
  };
  struct Case {
    const char* operation;
    std::string body;
  };
  const std::string statement =
      R"({"Statements":[{"Statement":"UPDATE Things SET gh='z' WHERE pk='a' AND gh='none'"}]})";
  const Case one = GENERATE_COPY(
      Case{"PutItem", indexed("a", R"(,"ConditionExpression":"gh = pk")")},
      Case{"DeleteItem", thing(R"("Key":)" + key("a") + R"(,"ConditionExpression":"gh = pk")")},
      Case{"UpdateItem", thing(R"("Key":)" + key("a") + R"(,"ConditionExpression":"gh = pk",
             "UpdateExpression":"SET gh = pk")")},
      Case{"BatchExecuteStatement", statement});
  INFO(one.operation);
  REQUIRE(table.engine.call("PutItem", indexed("a", "")).ok);
  // An entry stays as it is where its item does.
  const bool changes_entry = std::string_view(one.operation) != "PutItem";
  const auto is_failed = [](const Answer& answer) {
    return answer.json.find("ConditionalCheckFailed") != std::string::npos;
  };
  CHECK(is_failed(table.engine.call(one.operation, one.body)) != changes_entry);
  table.engine.clock().advance(2s);
  for (int i = 0; i < 2; ++i) CHECK(is_failed(table.engine.call(one.operation, one.body)));
  CHECK(table.engine.call("PutItem", indexed("b", "")).ok);
  CHECK(table.engine.call("PutItem", indexed("c", "")).ok);
}

TEST_CASE("throttling: of a batch that is left over which is refused", "[throttling]") {
  SmallTable table;
  const auto requests = [](std::initializer_list<const char*> names) {
    std::string all;
    for (const char* name : names) {
      all += (all.empty() ? "" : ",") + (R"({"PutRequest":{"Item":)" + key(name) + "}}");
    }
    return R"({"RequestItems":{"Things":[)" + all + "]}}";
  };
  CHECK(table.engine.call("BatchWriteItem", requests({"a", "b", "c", "d"})).json ==
        R"({"UnprocessedItems":{"Things":[{"PutRequest":{"Item":{"pk":{"S":"c"}}}},)"
        R"({"PutRequest":{"Item":{"pk":{"S":"d"}}}}]}})");
  CHECK(table.engine.call("BatchWriteItem", requests({"c", "d"})).json == kWritesExceeded);
  const auto keys = [](const std::string& list) {
    return R"({"RequestItems":{"Things":{"ConsistentRead":true,"Keys":[)" + list + "]}}}";
  };
  const Answer read =
      table.engine.call("BatchGetItem", keys(key("a") + "," + key("b") + "," + key("c")));
  CHECK(read.member("UnprocessedKeys") ==
        R"({"Things":{"Keys":[{"pk":{"S":"c"}}],"ConsistentRead":true}})");
  CHECK_FALSE(table.engine.call("BatchGetItem", keys(key("a"))).ok);
}

TEST_CASE("throttling: a transaction takes all or nothing", "[throttling]") {
  SmallTable table;
  const auto puts = [](std::initializer_list<const char*> names) {
    std::string all;
    for (const char* name : names) {
      all +=
          (all.empty() ? "" : ",") + (R"({"Put":{"TableName":"Things","Item":)" + key(name) + "}}");
    }
    return R"({"TransactItems":[)" + all + "]}";
  };
  // Each costs two units; the first leaves nothing for the second.
  const Answer refused = table.engine.call("TransactWriteItems", puts({"a", "b"}));
  CHECK(refused.json.find("specific reasons [None, ProvisionedThroughputExceeded]") !=
        std::string::npos);
  CHECK(refused.json.find("ThrottlingReasons") == std::string::npos);
  CHECK(table.engine.call("TransactWriteItems", puts({"a"})).ok);
  CHECK(table.engine.call("PutItem", put("c")).json == kWritesExceeded);
}

TEST_CASE("throttling: a transaction is throttled before its conditions count", "[throttling]") {
  SmallTable table;
  const std::string check = R"({"ConditionCheck":{"TableName":"Things","Key":)" + key("none") +
                            R"x(,"ConditionExpression":"attribute_exists(pk)"}})x";
  const auto put_action = [](const std::string& name) {
    return R"({"Put":{"TableName":"Things","Item":)" + key(name) + "}}";
  };
  const auto reasons = [&table](const std::string& actions) {
    const Answer answer =
        table.engine.call("TransactWriteItems", R"({"TransactItems":[)" + actions + "]}");
    const std::size_t begin = answer.json.find("reasons [") + 8;
    return answer.ok ? "" : answer.json.substr(begin, answer.json.find(']', begin) - begin + 1);
  };
  CHECK(reasons(check + "," + put_action("a")) ==
        "[ConditionalCheckFailed, ProvisionedThroughputExceeded]");
  CHECK(reasons(check) == "[ConditionalCheckFailed]");  // costs two units
  CHECK(reasons(check) == "[ProvisionedThroughputExceeded]");
  CHECK(reasons(check + "," + put_action("a")) ==
        "[ProvisionedThroughputExceeded, ProvisionedThroughputExceeded]");
  // The put, which has no condition, costs nothing when the check does not hold.
  table.engine.clock().advance(4s);
  CHECK(reasons(check + "," + put_action("a")) == "[ConditionalCheckFailed, None]");
  CHECK(reasons(put_action("a") + "," + check) == "[None, ConditionalCheckFailed]");
  for (int i = 0; i < 2; ++i) CHECK(reasons(put_action("a")).empty());
  CHECK(reasons(put_action("a")) == "[ProvisionedThroughputExceeded]");
}

TEST_CASE("throttling: observing serves all, and tells of it once a minute and at the end",
          "[throttling]") {
  auto table = std::make_unique<SmallTable>(Throttling::Observe);
  EngineHarness& engine = table->engine;
  for (int i = 0; i < 5; ++i) CHECK(engine.call("PutItem", put("a")).ok);
  engine.maintain();
  CHECK(engine.warnings.empty());
  engine.clock().advance(1min);
  engine.maintain();
  REQUIRE(engine.warnings.size() == 1);
  CHECK(engine.warnings.front() ==
        "table Things: 3 of 5 writes would have been throttled: "
        "TableWriteProvisionedThroughputExceeded, hottest partition 1 of 1, key \"a\" (us-east-1)");
  engine.reopen();
  REQUIRE(engine.warnings.size() == 2);
  CHECK(engine.warnings.back() ==
        "in all, of table Things: 3 writes would have been throttled: "
        "TableWriteProvisionedThroughputExceeded 3 (us-east-1)");
}

TEST_CASE("throttling: changes that come too soon are served and told of while observing",
          "[throttling]") {
  SmallTable table(Throttling::Observe);
  EngineHarness& engine = table.engine;
  const auto lower = [&](int reads, int index_reads) {
    const auto units = [](int number) {
      return R"("ProvisionedThroughput":{"ReadCapacityUnits":)" + std::to_string(number) +
             R"(,"WriteCapacityUnits":1})";
    };
    return engine
        .call("UpdateTable", thing(units(reads) + R"(,"GlobalSecondaryIndexUpdates":[{"Update":
                {"IndexName":"by_gh",)" +
                                   units(index_reads) + "}}]"))
        .ok;
  };
  for (int reads = 40; reads > 36; --reads) CHECK(lower(reads, 10 + reads));
  engine.clock().advance(1min);
  engine.maintain();
  CHECK(engine.warnings.empty());  // four are allowed
  CHECK(lower(35, 45));
  CHECK(lower(34, 44));
  engine.clock().advance(1min);
  engine.maintain();
  REQUIRE(engine.warnings.size() == 1);
  CHECK(engine.warnings.front() ==
        "table Things: 3 decreases of throughput would have been refused: "
        "LimitExceededException of index by_gh (us-east-1)");
  engine.reopen();
  REQUIRE(engine.warnings.size() == 2);
  CHECK(engine.warnings.back() ==
        "in all, of table Things: 3 decreases of throughput would have been refused (us-east-1)");
}

TEST_CASE("throttling: changes that come too soon are refused and told of once enforced",
          "[throttling]") {
  SmallTable table;
  EngineHarness& engine = table.engine;
  const auto change = [&](const std::string& mode) {
    const std::string units = mode == "PROVISIONED" ? R"(,"ProvisionedThroughput":
        {"ReadCapacityUnits":2,"WriteCapacityUnits":2},"GlobalSecondaryIndexUpdates":[{"Update":
        {"IndexName":"by_gh","ProvisionedThroughput":
        {"ReadCapacityUnits":1,"WriteCapacityUnits":1}}}])"
                                                    : "";
    return engine.call("UpdateTable", thing(R"("BillingMode":")" + mode + "\"" + units)).ok;
  };
  for (int i = 0; i < 4; ++i) {
    CHECK(change("PAY_PER_REQUEST"));
    CHECK(change("PROVISIONED"));
  }
  CHECK_FALSE(change("PAY_PER_REQUEST"));
  engine.clock().advance(1min);
  engine.maintain();
  REQUIRE(engine.warnings.size() == 1);
  CHECK(engine.warnings.front() ==
        "table Things: 1 switch to on-demand mode was refused: LimitExceededException (us-east-1)");
}

TEST_CASE("throttling: a call that is given up has taken nothing", "[throttling]") {
  struct Gone final : StopCondition {
    bool should_stop() noexcept override { return true; }
  } gone;
  SmallTable table;
  REQUIRE(table.engine
              .call("UpdateTable", thing(R"("ProvisionedThroughput":
                {"ReadCapacityUnits":2,"WriteCapacityUnits":1000})"))
              .ok);
  table.engine.clock().advance(1s);
  for (const std::string name : {"a", "b"}) {
    const std::string item =
        R"({"pk":{"S":")" + name + R"("},"x":{"S":")" + std::string(100'000, 'x') + R"("}})";
    REQUIRE(table.engine.call("PutItem", thing(R"("Item":)" + item)).ok);
  }
  const std::string both = R"({"RequestItems":{"Things":{"Keys":[)" + key("a") + "," + key("b") +
                           R"(],"ConsistentRead":true}}})";
  table.engine.stop_condition = &gone;
  CHECK_FALSE(table.engine.call("BatchGetItem", both).ok);
  table.engine.stop_condition = nullptr;
  // The first one of the two would have left a debt.
  CHECK(table.engine.call("GetItem", get("c")).ok);
}

TEST_CASE("throttling: deleting expired items and building an index take nothing", "[throttling]") {
  SmallTable table;
  EngineHarness& engine = table.engine;
  const auto maintain_all = [&] {
    while (engine.maintain().is_due) {
    }
  };
  const auto put_item = [&](const std::string& name, const std::string& more) {
    return engine.call("PutItem", thing(R"("Item":{"pk":{"S":")" + name + "\"}" + more + "}")).ok;
  };
  REQUIRE(engine
              .call("UpdateTimeToLive", thing(R"("TimeToLiveSpecification":{"Enabled":true,
                                                 "AttributeName":"t"})"))
              .ok);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "k" + std::to_string(i);
    CHECK(put_item(name, R"(,"gh":{"S":"x"},"t":{"N":"1790000100"})"));
    engine.clock().advance(1s);
  }
  const auto count = [&] {
    return engine.call("DescribeTable", R"({"TableName":"Things"})").member("ItemCount");
  };
  REQUIRE(count() == "10");

  // An index is built of them: what it has for its first second is still there.
  REQUIRE(engine
              .call("UpdateTable", thing(R"("AttributeDefinitions":[
                {"AttributeName":"gh","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":
                {"IndexName":"late","KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],
                "Projection":{"ProjectionType":"KEYS_ONLY"},
                "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}}])"))
              .ok);
  maintain_all();
  CHECK(put_item("first", R"(,"gh":{"S":"x"})"));
  CHECK_FALSE(put_item("second", R"(,"gh":{"S":"x"})"));

  // Everything that was saved is used up; then they expire.
  engine.clock().advance(200s);
  int indexed = 0;
  while (put_item("h" + std::to_string(indexed), R"(,"gh":{"S":"x"})")) ++indexed;
  REQUIRE(indexed > 50);
  while (put_item("plain", "")) {
  }
  const auto before = std::stoi(count());
  maintain_all();
  REQUIRE(std::stoi(count()) == before - 10);
  engine.clock().advance(1s);
  CHECK(put_item("third", R"(,"gh":{"S":"x"})"));
  CHECK(put_item("plain", ""));
  CHECK_FALSE(put_item("plain", ""));
}

TEST_CASE("throttling: off counts nothing", "[throttling]") {
  SmallTable table(Throttling::Off);
  for (int i = 0; i < 50; ++i) CHECK(table.engine.call("PutItem", put("a")).ok);
  table.engine.reopen();
  CHECK(table.engine.warnings.empty());
}

TEST_CASE("throttling: new throughput counts from when it is there", "[throttling]") {
  SmallTable table;
  CHECK(table.engine.call("PutItem", put("a")).ok);
  CHECK(table.engine.call("PutItem", put("a")).ok);
  CHECK_FALSE(table.engine.call("PutItem", put("a")).ok);
  CHECK(table.engine
            .call("UpdateTable", thing(R"("ProvisionedThroughput":
              {"ReadCapacityUnits":2,"WriteCapacityUnits":20})"))
            .ok);
  CHECK_FALSE(table.engine.call("PutItem", put("a")).ok);
  table.engine.clock().advance(1s);
  for (int i = 0; i < 20; ++i) CHECK(table.engine.call("PutItem", put("a")).ok);
  CHECK_FALSE(table.engine.call("PutItem", put("a")).ok);
}

}  // namespace stator::test
