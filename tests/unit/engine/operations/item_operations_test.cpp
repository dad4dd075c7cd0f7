#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;

namespace {

std::string indexed_table(std::string_view name) {
  return R"({"TableName":")" + std::string(name) +
         R"(","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},)"
         R"({"AttributeName":"la","AttributeType":"S"},{"AttributeName":"gh","AttributeType":"N"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
         R"("BillingMode":"PAY_PER_REQUEST",)"
         R"("LocalSecondaryIndexes":[{"IndexName":"by_la","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
         R"({"AttributeName":"la","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],)"
         R"("GlobalSecondaryIndexes":[{"IndexName":"by_gh","KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],)"
         R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["note"]}}]})";
}

constexpr std::string_view kIndexes = R"(,"ReturnConsumedCapacity":"INDEXES")";

std::string put(std::string_view item, std::string_view more = {}) {
  return R"({"TableName":"Things","Item":)" + std::string(item) + std::string(more) + "}";
}
std::string lookup(std::string_view key, std::string_view more = {}) {
  return R"({"TableName":"Things","Key":)" + std::string(key) + std::string(more) + "}";
}

}  // namespace

TEST_CASE("items: put, get, replace, delete", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"},"n":{"N":"1.50"}})")).json == "{}");
  CHECK(engine.call("GetItem", lookup(R"({"pk":{"S":"a"}})")).json ==
        R"({"Item":{"n":{"N":"1.5"},"pk":{"S":"a"}}})");
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"}})", R"(,"ReturnValues":"ALL_OLD")")).json ==
        R"({"Attributes":{"n":{"N":"1.5"},"pk":{"S":"a"}}})");
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})", R"(,"ReturnValues":"ALL_OLD")"))
            .json == R"({"Attributes":{"pk":{"S":"a"}}})");
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})", R"(,"ReturnValues":"ALL_OLD")"))
            .json == "{}");
  CHECK(engine.call("GetItem", lookup(R"({"pk":{"S":"a"}})")).json == "{}");
}

TEST_CASE("items: units follow the larger of old and new item", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  const std::string big = R"({"pk":{"S":"a"},"x":{"S":")" + std::string(5000, 'x') + "\"}}";
  CHECK(engine.call("PutItem", put(big, R"(,"ReturnConsumedCapacity":"TOTAL")")).json ==
        R"({"ConsumedCapacity":{"TableName":"Things","CapacityUnits":5.0}})");
  CHECK(
      engine.call("GetItem", lookup(R"({"pk":{"S":"a"}})", kIndexes)).member("ConsumedCapacity") ==
      R"({"TableName":"Things","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}})");
  CHECK(engine
            .call("GetItem", lookup(R"({"pk":{"S":"a"}})",
                                    R"(,"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL")"))
            .member("CapacityUnits") == "2.0");
  CHECK(
      engine
          .call("GetItem", lookup(R"({"pk":{"S":"none"}})", R"(,"ReturnConsumedCapacity":"TOTAL")"))
          .json == R"({"ConsumedCapacity":{"TableName":"Things","CapacityUnits":0.5}})");
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"}})")).units_milli == 5000);
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})")).units_milli == 1000);
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})")).units_milli == 1000);
  // The name is answered as it was asked.
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Things";
  CHECK(engine
            .call("GetItem", R"({"TableName":")" + arn +
                                 R"(","Key":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"})")
            .member("TableName") == "\"" + arn + "\"");
}

TEST_CASE("items: index units for entries that come, change, move and go", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", indexed_table("Things"));
  const auto units = [&](std::string_view item) {
    const Answer answer = engine.call("PutItem", put(item, kIndexes));
    REQUIRE(answer.ok);
    return answer.member("ConsumedCapacity");
  };
  const std::string table = R"({"TableName":"Things","CapacityUnits":)";
  CHECK(units(R"({"pk":{"S":"a"},"sk":{"S":"1"}})") ==
        table + R"(1.0,"Table":{"CapacityUnits":1.0}})");
  CHECK(
      units(R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":"x"},"gh":{"N":"1"}})") ==
      table +
          R"(3.0,"Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"by_la":{"CapacityUnits":1.0}},)"
          R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}})");
  // Nothing an index stores has changed.
  CHECK(
      units(
          R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":"x"},"gh":{"N":"1.0"},"other":{"S":"y"}})") ==
      table + R"(1.0,"Table":{"CapacityUnits":1.0}})");
  // A projected attribute changes one index; a moved key costs delete and insert.
  CHECK(
      units(R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":"z"},"gh":{"N":"1"},"note":{"S":"n"}})") ==
      table +
          R"(4.0,"Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"by_la":{"CapacityUnits":2.0}},)"
          R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}})");
  const Answer described = engine.call("DescribeTable", named("Things"));
  CHECK(described.json.find(R"("IndexName":"by_la")") != std::string::npos);
  CHECK(described.member("LocalSecondaryIndexes").find(R"("IndexSizeBytes":9,"ItemCount":1)") !=
        std::string::npos);
  CHECK(described.member("GlobalSecondaryIndexes").find(R"("IndexSizeBytes":15,"ItemCount":1)") !=
        std::string::npos);
  const Answer deleted =
      engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"},"sk":{"S":"1"}})", kIndexes));
  CHECK(deleted.member("CapacityUnits") == "3.0");
  CHECK(engine.call("DescribeTable", named("Things"))
            .member("GlobalSecondaryIndexes")
            .find(R"("IndexSizeBytes":0,"ItemCount":0)") != std::string::npos);
}

TEST_CASE("items: counts, sizes and collections are true at all times", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", indexed_table("Things"));
  const std::string wants = R"(,"ReturnItemCollectionMetrics":"SIZE")";
  CHECK(
      engine.call("PutItem", put(R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":"x"}})", wants))
          .json ==
      R"({"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}})");
  engine.call("PutItem", put(R"({"pk":{"S":"a"},"sk":{"S":"2"}})"));
  engine.call("PutItem", put(R"({"pk":{"S":"b"},"sk":{"S":"1"},"gh":{"N":"12"}})"));
  const auto table_stats = [&] {
    const Answer described = engine.call("DescribeTable", named("Things"));
    return described.member("TableSizeBytes") + "/" + described.member("ItemCount");
  };
  CHECK(table_stats() == "25/3");
  engine.call("PutItem", put(R"({"pk":{"S":"a"},"sk":{"S":"2"},"more":{"S":"1234"}})"));
  CHECK(table_stats() == "33/3");
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"},"sk":{"S":"1"}})", wants))
            .member("ItemCollectionKey") == R"({"pk":{"S":"a"}})");
  CHECK(table_stats() == "24/2");
}

TEST_CASE("items: refused writes change nothing", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", indexed_table("Things"));
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"},"sk":{"S":"1"},"gh":{"S":"text"}})")).json ==
        validation("One or more parameter values were invalid: Type mismatch for Index Key gh "
                   "Expected: N Actual: S "
                   "IndexName: by_gh"));
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":""}})")).json ==
        validation("One or more parameter values are not valid. A value specified for a secondary "
                   "index key is not supported. "
                   "The AttributeValue for a key attribute cannot contain an empty string value. "
                   "IndexName: by_la, "
                   "IndexKey: la"));
  const std::string long_text(1025, 'k');
  CHECK_FALSE(engine
                  .call("PutItem",
                        put(R"({"pk":{"S":"a"},"sk":{"S":"1"},"la":{"S":")" + long_text + "\"}}"))
                  .ok);
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "0");
}

TEST_CASE("items: a deleted table's data is swept, its name starts empty", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", indexed_table("Things"));
  for (int i = 0; i < 5000; ++i) {
    const std::string key = std::to_string(i % 7) + R"("},"sk":{"S":")" + std::to_string(i);
    REQUIRE(engine.call("PutItem", put(R"({"pk":{"S":"p)" + key + R"("},"la":{"S":"x"}})")).ok);
  }
  engine.call("DeleteTable", named("Things"));
  REQUIRE(engine.call("CreateTable", indexed_table("Things")).ok);
  CHECK(engine.call("GetItem", lookup(R"({"pk":{"S":"p0"},"sk":{"S":"0"}})")).json == "{}");
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "0");
  int pieces = 0;
  while (engine.maintain().is_due) ++pieces;
  CHECK(pieces >= 5000 / 1000);
  REQUIRE(engine.call("PutItem", put(R"({"pk":{"S":"p0"},"sk":{"S":"0"}})")).ok);
  CHECK_FALSE(engine.maintain().is_due);
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "1");
}

TEST_CASE("items: a condition decides whether a write happens", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  const std::string_view absent = R"x(,"ConditionExpression":"attribute_not_exists(pk)")x";
  const std::string failed =
      R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
      R"("message":"The conditional request failed")";
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"},"n":{"N":"5"}})", absent)).json == "{}");
  CHECK(engine.call("PutItem", put(R"({"pk":{"S":"a"}})", absent)).json == failed + "}");
  const std::string larger =
      R"(,"ConditionExpression":"#n > :n","ExpressionAttributeNames":{"#n":"n"},)"
      R"("ExpressionAttributeValues":{":n":{"N":"5"}},)"
      R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD")";
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})", larger)).json ==
        failed + R"(,"Item":{"n":{"N":"5"},"pk":{"S":"a"}}})");
  // Without a stored item there is none to return.
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"b"}})", larger)).json == failed + "}");
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "1");
  const std::string equal =
      R"(,"ConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"5.0"}})";
  CHECK(engine.call("DeleteItem", lookup(R"({"pk":{"S":"a"}})", equal)).json == "{}");
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "0");
}

TEST_CASE("items: a projection selects parts of an item", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  engine.call("PutItem", put(R"({"pk":{"S":"a"},"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}},)"
                             R"("l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]}})"));
  const auto get = [&](std::string_view more) {
    return engine.call("GetItem", lookup(R"({"pk":{"S":"a"}})", more)).json;
  };
  CHECK(get(R"(,"ProjectionExpression":"m.y, l[2], l[0]")") ==
        R"({"Item":{"l":{"L":[{"S":"0"},{"S":"2"}]},"m":{"M":{"y":{"N":"2"}}}}})");
  const std::string_view named_path =
      R"(,"ProjectionExpression":"#p, nothing","ExpressionAttributeNames":{"#p":"pk"})";
  CHECK(get(named_path) == R"({"Item":{"pk":{"S":"a"}}})");
  CHECK(get(R"(,"AttributesToGet":["pk","m.y"])") == R"({"Item":{"pk":{"S":"a"}}})");
  CHECK(get(R"(,"ProjectionExpression":"nothing")") == R"({"Item":{}})");
}
