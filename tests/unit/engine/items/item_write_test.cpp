// Item collections, and the size of items together with their local entries.
#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::string_view kFull =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ItemCollectionSizeLimitExceededException",)"
    R"("message":"Collection size exceeded."})";

// pk, sk and a local index by `la` with everything.
std::string local_table(std::string_view name) {
  return R"({"TableName":")" + std::string(name) +
         R"(","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
         R"({"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"la","AttributeType":"S"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
         R"("BillingMode":"PAY_PER_REQUEST",)"
         R"("LocalSecondaryIndexes":[{"IndexName":"by_la","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
         R"({"AttributeName":"la","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]})";
}

// 2 + 1 + 2 + 1 + 1 + n bytes, and as many again in the index with `la` (3 more each).
std::string item(std::string_view pk, std::string_view sk, std::size_t bytes, bool has_entry) {
  return R"({"pk":{"S":")" + std::string(pk) + R"("},"sk":{"S":")" + std::string(sk) +
         R"("},"x":{"S":")" + std::string(bytes, 'x') + "\"}" +
         (has_entry ? R"(,"la":{"S":"l"})" : "") + "}";
}

std::string put(std::string_view pk, std::string_view sk, std::size_t bytes,
                bool has_entry = false) {
  return R"({"TableName":"Things","Item":)" + item(pk, sk, bytes, has_entry) + "}";
}

std::string batch_put(std::string_view sk, std::size_t bytes) {
  return R"({"PutRequest":{"Item":)" + item("a", sk, bytes, false) + "}}";
}

Settings with_limit(std::int64_t size_bytes) {
  Settings settings;
  settings.item_collection_bytes_max = size_bytes;
  return settings;
}

}  // namespace

TEST_CASE("item collections: growing beyond the limit is refused, everything else passes",
          "[engine]") {
  EngineHarness engine(with_limit(1000));
  engine.call("CreateTable", local_table("Things"));
  CHECK(engine.call("PutItem", put("a", "1", 500)).ok);
  CHECK(engine.call("PutItem", put("a", "2", 486)).ok);  // 507 + 493
  CHECK(engine.call("PutItem", put("a", "3", 0)).json == kFull);
  CHECK(engine.call("PutItem", put("a", "2", 487)).json == kFull);
  CHECK(engine.call("PutItem", put("b", "1", 900)).ok);

  // Not growing is allowed, even above a limit that was lowered meanwhile.
  CHECK(engine.call("PutItem", put("a", "2", 486)).ok);
  CHECK(engine.call("PutItem", put("a", "2", 400)).ok);
  CHECK(engine.call("PutItem", put("a", "2", 486)).ok);
  CHECK(engine.call("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":"a"},"sk":{"S":"1"}}})")
            .ok);
  CHECK(engine.call("PutItem", put("a", "3", 500)).ok);
}

TEST_CASE("item collections: entries in local indexes count", "[engine]") {
  EngineHarness engine(with_limit(1000));
  engine.call("CreateTable", local_table("Things"));
  CHECK(engine.call("PutItem", put("a", "1", 490, true)).ok);  // 500 twice
  CHECK(engine.call("PutItem", put("a", "1", 491, true)).json == kFull);
  CHECK(engine.call("PutItem", put("a", "1", 900, false)).ok);
  CHECK(engine.call("PutItem", put("a", "1", 491, true)).json == kFull);
  CHECK(engine.call("PutItem", put("a", "1", 490, true)).ok);
}

TEST_CASE("item collections: tables without local indexes have none", "[engine]") {
  EngineHarness engine(with_limit(1000));
  engine.call("CreateTable", hash_table("Things"));
  CHECK(engine
            .call("PutItem", R"({"TableName":"Things","ReturnItemCollectionMetrics":"SIZE",)"
                             R"("Item":{"pk":{"S":"a"},"x":{"S":")" +
                                 std::string(2000, 'x') + "\"}}}")
            .json == "{}");
}

TEST_CASE("item collections: the writes of a batch add up", "[engine]") {
  EngineHarness engine(with_limit(1000));
  engine.call("CreateTable", local_table("Things"));
  const auto batch = [&](const std::string& requests) {
    return engine.call("BatchWriteItem", R"({"RequestItems":{"Things":[)" + requests + R"(]}})")
        .json;
  };
  CHECK(batch(batch_put("1", 493) + "," + batch_put("2", 494)) == kFull);
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "0");
  CHECK(batch(batch_put("1", 493) + "," + batch_put("2", 493)) == R"({"UnprocessedItems":{}})");
  // What a delete frees can be used by what follows it.
  const std::string erase = R"({"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"S":"1"}}}})";
  CHECK(batch(erase + "," + batch_put("3", 494)) == kFull);
  CHECK(batch(erase + "," + batch_put("3", 493)) == R"({"UnprocessedItems":{}})");
  CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "2");
  CHECK(engine.call("DescribeTable", named("Things")).member("TableSizeBytes") == "1000");
}

TEST_CASE("items: an item and its local entries share the limit of 400 KB", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", local_table("Things"));
  CHECK(engine.call("PutItem", put("a", "1", 409'600 / 2 - 10, true)).ok);
  CHECK(engine.call("PutItem", put("a", "1", 409'600 / 2 - 9, true)).json ==
        validation("Item size has exceeded the maximum allowed size"));
  CHECK(engine.call("PutItem", put("a", "1", 409'600 - 7, false)).ok);
}
