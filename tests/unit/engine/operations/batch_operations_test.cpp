#include <string>
#include <vector>

#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;

namespace {

std::string get(std::string_view tables, std::string_view more = {}) {
  return R"({"RequestItems":{)" + std::string(tables) + "}" + std::string(more) + "}";
}
std::string keys_of(std::string_view table, const std::vector<std::string>& keys,
                    std::string_view more = {}) {
  std::string list;
  for (const std::string& key : keys)
    list += (list.empty() ? "" : ",") + (R"({"pk":{"S":")" + key + "\"}}");
  return "\"" + std::string(table) + R"(":{"Keys":[)" + list + "]" + std::string(more) + "}";
}
std::string put(std::string_view pk, std::string_view more = {}) {
  return R"({"PutRequest":{"Item":{"pk":{"S":")" + std::string(pk) + "\"}" + std::string(more) +
         "}}}";
}
std::string erase(std::string_view pk) {
  return R"({"DeleteRequest":{"Key":{"pk":{"S":")" + std::string(pk) + "\"}}}}";
}
std::string writes(std::string_view table, std::string_view requests) {
  return "\"" + std::string(table) + R"(":[)" + std::string(requests) + "]";
}

std::string range_table(std::string_view name) {
  return R"({"TableName":")" + std::string(name) +
         R"(","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
         R"({"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"la","AttributeType":"S"},)"
         R"({"AttributeName":"gh","AttributeType":"S"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
         R"("BillingMode":"PAY_PER_REQUEST",)"
         R"("LocalSecondaryIndexes":[{"IndexName":"by_la","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
         R"({"AttributeName":"la","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],)"
         R"("GlobalSecondaryIndexes":[{"IndexName":"by_gh","KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],)"
         R"("Projection":{"ProjectionType":"KEYS_ONLY"}}]})";
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++found;
  return found;
}

char partition_letter(std::size_t i) {
  return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[i];
}

// A table `Range` with `items` items of one partition, or of as many, each of `size_bytes`.
void fill(EngineHarness& engine, std::size_t items, std::size_t size_bytes, bool one_partition) {
  engine.call("CreateTable", range_table("Range"));
  for (std::size_t i = 0; i < items; ++i) {
    const std::string pk = one_partition ? "p" : std::string(1, partition_letter(i));
    // pk and its value 3, sk 2 + 2 (1 + 1 for ten and more too), x 1.
    const std::string body = R"({"TableName":"Range","Item":{"pk":{"S":")" + pk +
                             R"("},"sk":{"N":")" + std::to_string(i + 1) + R"("},"x":{"S":")" +
                             std::string(size_bytes - 8, 'x') + "\"}}}";
    REQUIRE(engine.call("PutItem", body).ok);
  }
}

std::string range_keys(std::size_t items, bool one_partition, std::string_view more) {
  std::string list;
  for (std::size_t i = 0; i < items; ++i) {
    const std::string pk = one_partition ? "p" : std::string(1, partition_letter(i));
    list += (list.empty() ? "" : ",") +
            (R"({"pk":{"S":")" + pk + R"("},"sk":{"N":")" + std::to_string(i + 1) + "\"}}");
  }
  return R"("Range":{"Keys":[)" + list + "]" + std::string(more) + "}";
}

}  // namespace

TEST_CASE("batch get: items of several tables, in the order asked, missing ones left out",
          "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Ants"));
  engine.call("CreateTable", hash_table("Bees"));
  engine.call("PutItem", named("Ants", R"(,"Item":{"pk":{"S":"a"},"n":{"N":"1"},"m":{"N":"2"}})"));
  engine.call("PutItem", named("Ants", R"(,"Item":{"pk":{"S":"c"},"n":{"N":"3"}})"));
  engine.call("PutItem", named("Bees", R"(,"Item":{"pk":{"S":"a"}})"));
  const std::string tables = keys_of("Bees", {"a"}) + "," + keys_of("Ants", {"c", "b", "a"});
  CHECK(engine.call("BatchGetItem", get(tables)).json ==
        R"({"Responses":{"Bees":[{"pk":{"S":"a"}}],)"
        R"("Ants":[{"n":{"N":"3"},"pk":{"S":"c"}},{"m":{"N":"2"},"n":{"N":"1"},"pk":{"S":"a"}}]},)"
        R"("UnprocessedKeys":{}})");
  CHECK(engine.call("BatchGetItem", get(keys_of("Ants", {"x"}))).json ==
        R"({"Responses":{"Ants":[]},"UnprocessedKeys":{}})");
}

TEST_CASE("batch get: projections are a table's own", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Ants"));
  engine.call("CreateTable", hash_table("Bees"));
  const std::string item =
      R"(,"Item":{"pk":{"S":"a"},"n":{"N":"1"},"l":{"L":[{"S":"x"},{"S":"y"}]}})";
  engine.call("PutItem", named("Ants", item));
  engine.call("PutItem", named("Bees", item));
  const std::string expression =
      R"(,"ProjectionExpression":"#l[1]","ExpressionAttributeNames":{"#l":"l"})";
  CHECK(engine
            .call("BatchGetItem", get(keys_of("Ants", {"a"}, expression) + "," +
                                      keys_of("Bees", {"a"}, R"(,"AttributesToGet":["n"])")))
            .member("Responses") ==
        R"({"Ants":[{"l":{"L":[{"S":"y"}]}}],"Bees":[{"n":{"N":"1"}}]})");
}

TEST_CASE("batch get: each read is rounded on its own, consistency is a table's own", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Bees"));
  engine.call("CreateTable", hash_table("Ants"));
  engine.call("PutItem", named("Ants", R"(,"Item":{"pk":{"S":"a"},"x":{"S":")" +
                                           std::string(4092, 'x') + "\"}}"));  // 4096 bytes
  engine.call("PutItem", named("Ants", R"(,"Item":{"pk":{"S":"b"},"x":{"S":")" +
                                           std::string(4093, 'x') + "\"}}"));
  const std::string tables = keys_of("Bees", {"a", "b"}) + "," +
                             keys_of("Ants", {"a", "b", "c"}, R"(,"ConsistentRead":true)");
  const Answer total =
      engine.call("BatchGetItem", get(tables, R"(,"ReturnConsumedCapacity":"TOTAL")"));
  // By name, whatever the order of the request.
  CHECK(total.member("ConsumedCapacity") ==
        R"([{"TableName":"Ants","CapacityUnits":4.0},{"TableName":"Bees","CapacityUnits":1.0}])");
  CHECK(total.units_milli == 5000);
  CHECK(engine.call("BatchGetItem", get(tables, R"(,"ReturnConsumedCapacity":"INDEXES")"))
            .member("ConsumedCapacity") ==
        R"([{"TableName":"Ants","CapacityUnits":4.0,"Table":{"CapacityUnits":4.0}},)"
        R"({"TableName":"Bees","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}}])");
}

TEST_CASE("batch get: refusals in the service's order", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  const auto message = [&](const std::string& tables) {
    return engine.call("BatchGetItem", get(tables)).json;
  };
  CHECK(message("") == validation("The requestItems parameter is required for BatchGetItem"));
  const std::string twice = keys_of("Things", {"a", "b", "a"});
  CHECK(message(twice) == validation("Provided list of item keys contains duplicates"));
  // Keys are compared by their values, before anything is looked up.
  CHECK(
      message(R"("No":{"Keys":[{"b":{"N":"1"},"a":{"S":"x"}},{"a":{"S":"x"},"b":{"N":"1.0"}}]})") ==
      validation("1 validation error detected: Value '{No=KeysAndAttributes(keys=[{b={N=1}, "
                 "a={S=x}}, {a={S=x}, b={N=1.0}}], attributesToGet=null, consistentRead=null, "
                 "projectionExpression=null, expressionAttributeNames=null)}' at 'requestItems' "
                 "failed to satisfy constraint: Map keys must satisfy constraint: [Member must "
                 "have length less than or equal to 255, Member must have length greater than or "
                 "equal to 3, Member must satisfy regular expression pattern: "
                 "[a-zA-Z0-9_.-]+]"));
  CHECK(message(
            R"("None":{"Keys":[{"b":{"N":"1"},"a":{"S":"x"}},{"a":{"S":"x"},"b":{"N":"1.0"}}]})") ==
        validation("Provided list of item keys contains duplicates"));
  CHECK(message(keys_of("None", {"a"}) + "," + R"("Things":{"Keys":[{}]})") ==
        not_found("Requested resource not found"));
  CHECK(message(R"("Things":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"b"}}]})") ==
        validation("The provided key element does not match the schema"));
  CHECK(
      message(keys_of("Things", {"a"}, R"(,"AttributesToGet":["a"],"ProjectionExpression":"b")")) ==
      validation("Can not use both expression and non-expression parameters in the same "
                 "request: Non-expression parameters: {AttributesToGet} Expression parameters: "
                 "{ProjectionExpression}"));
  // Of one name given twice the last counts.
  CHECK(message(twice + "," + keys_of("Things", {"z"})) ==
        R"({"Responses":{"Things":[]},"UnprocessedKeys":{}})");
}

TEST_CASE("batch get: one partition key gives at most 1 MB", "[engine]") {
  EngineHarness engine;
  fill(engine, 5, 256 * 1024, /*one_partition=*/true);
  const std::string more =
      R"(,"ConsistentRead":true,"ProjectionExpression":"#s","ExpressionAttributeNames":{"#s":"sk"})";
  const Answer first = engine.call(
      "BatchGetItem", get(range_keys(5, true, more), R"(,"ReturnConsumedCapacity":"TOTAL")"));
  CHECK(count(first.member("Responses"), "\"sk\"") == 4);
  CHECK(first.member("UnprocessedKeys") ==
        R"({"Range":{"Keys":[{"pk":{"S":"p"},"sk":{"N":"5"}}],"ConsistentRead":true,)"
        R"("ProjectionExpression":"#s","ExpressionAttributeNames":{"#s":"sk"}}})");
  CHECK(first.member("CapacityUnits") == "256.0");
  // What is handed back can be asked for as it is.
  const Answer second =
      engine.call("BatchGetItem", R"({"RequestItems":)" + first.member("UnprocessedKeys") + "}");
  CHECK(second.json == R"({"Responses":{"Range":[{"sk":{"N":"5"}}]},"UnprocessedKeys":{}})");
}

TEST_CASE("batch get: partition keys do not share that limit", "[engine]") {
  EngineHarness engine;
  fill(engine, 5, 256 * 1024, /*one_partition=*/false);
  const Answer answer =
      engine.call("BatchGetItem", get(range_keys(5, false, R"(,"AttributesToGet":["sk"])")));
  CHECK(count(answer.member("Responses"), "\"sk\"") == 5);
  CHECK(answer.member("UnprocessedKeys") == "{}");
}

TEST_CASE("batch get: an answer holds 52 items of 300 KB", "[engine]") {
  EngineHarness engine;
  fill(engine, 54, 300 * 1024, /*one_partition=*/false);
  const Answer answer =
      engine.call("BatchGetItem", get(range_keys(54, false, R"(,"AttributesToGet":["sk"])")));
  CHECK(count(answer.member("Responses"), "\"sk\"") == 52);
  CHECK(answer.member("UnprocessedKeys") ==
        R"({"Range":{"Keys":[{"pk":{"S":"0"},"sk":{"N":"53"}},{"pk":{"S":"1"},"sk":{"N":"54"}}],)"
        R"("AttributesToGet":["sk"]}})");
}

TEST_CASE("batch write: puts and deletes in several tables", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Ants"));
  engine.call("CreateTable", hash_table("Bees"));
  engine.call("PutItem", named("Ants", R"(,"Item":{"pk":{"S":"old"}})"));
  const std::string tables =
      writes("Ants", put("a", R"(,"n":{"N":"1.0"})") + "," + erase("old") + "," + erase("none")) +
      "," + writes("Bees", put("b"));
  const Answer answer =
      engine.call("BatchWriteItem", get(tables, R"(,"ReturnConsumedCapacity":"TOTAL")"));
  CHECK(answer.json ==
        R"({"UnprocessedItems":{},"ConsumedCapacity":[{"TableName":"Ants","CapacityUnits":3.0},)"
        R"({"TableName":"Bees","CapacityUnits":1.0}]})");
  CHECK(answer.units_milli == 4000);
  CHECK(
      engine.call("BatchGetItem", get(keys_of("Ants", {"a", "old"}) + "," + keys_of("Bees", {"b"})))
          .member("Responses") ==
      R"({"Ants":[{"n":{"N":"1"},"pk":{"S":"a"}}],"Bees":[{"pk":{"S":"b"}}]})");
  CHECK(engine.call("DescribeTable", named("Ants")).member("ItemCount") == "1");
}

TEST_CASE("batch write: units of indexes add up, metrics name each collection once", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", range_table("Range"));
  engine.call("CreateTable", hash_table("Plain"));
  const auto item = [](std::string_view pk, std::string_view sk, std::string_view more) {
    return R"({"PutRequest":{"Item":{"pk":{"S":")" + std::string(pk) + R"("},"sk":{"N":")" +
           std::string(sk) + "\"}" + std::string(more) + "}}}";
  };
  const std::string tables =
      writes("Range", item("p", "1", R"(,"la":{"S":"l"},"gh":{"S":"g"})") + "," +
                          item("q", "1", R"(,"la":{"S":"l"})") + "," + item("p", "2", "")) +
      "," + writes("Plain", put("a"));
  const Answer answer = engine.call(
      "BatchWriteItem",
      get(tables, R"(,"ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE")"));
  CHECK(answer.member("ConsumedCapacity") ==
        R"([{"TableName":"Plain","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}},)"
        R"({"TableName":"Range","CapacityUnits":6.0,"Table":{"CapacityUnits":3.0},)"
        R"("LocalSecondaryIndexes":{"by_la":{"CapacityUnits":2.0}},)"
        R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}}])");
  CHECK(answer.member("ItemCollectionMetrics") ==
        R"({"Range":[{"ItemCollectionKey":{"pk":{"S":"p"}},"SizeEstimateRangeGB":[0.0,1.0]},)"
        R"({"ItemCollectionKey":{"pk":{"S":"q"}},"SizeEstimateRangeGB":[0.0,1.0]}]})");
  CHECK(engine
            .call("BatchWriteItem",
                  get(writes("Plain", put("b")), R"(,"ReturnItemCollectionMetrics":"SIZE")"))
            .json == R"({"UnprocessedItems":{}})");
}

TEST_CASE("batch write: a refused batch writes nothing", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  engine.call("CreateTable", range_table("Range"));
  const auto message = [&](const std::string& tables) {
    const std::string answer = engine.call("BatchWriteItem", get(tables)).json;
    CHECK(engine.call("DescribeTable", named("Things")).member("ItemCount") == "0");
    return answer;
  };
  const std::string duplicates = validation("Provided list of item keys contains duplicates");
  const std::string mismatch = validation("The provided key element does not match the schema");
  CHECK(message("") == validation("The requestItems parameter is required for BatchWriteItem"));
  CHECK(message(writes("Things", put("a") + "," + erase("a"))) == duplicates);
  CHECK(message(writes("Things", put("a") + "," + put("b") + "," + put("a"))) == duplicates);
  // A table by its name and by its ARN is one table.
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Things";
  CHECK(message(writes("Things", put("a")) + "," + writes(arn, erase("a"))) == duplicates);
  // A missing table comes before duplicates, duplicates before other mistakes in keys.
  CHECK(message(writes("Things", put("a") + "," + put("a")) + "," + writes("None", put("a"))) ==
        not_found("Requested resource not found"));
  const std::string wrong = R"({"PutRequest":{"Item":{"pk":{"N":"1"}}}})";
  CHECK(message(writes("Things", wrong + "," + put("a") + "," + put("a"))) == duplicates);
  CHECK(message(writes("Things", put("a") + "," + wrong)) == mismatch);
  CHECK(message(writes(
            "Things",
            put("a") + "," + R"({"DeleteRequest":{"Key":{"pk":{"S":"b"},"x":{"S":"c"}}}})")) ==
        mismatch);
  CHECK(
      message(writes("Things", put("a")) + "," +
              writes("Range",
                     R"({"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"1"},"gh":{"S":""}}}})")) ==
      validation("One or more parameter values are not valid. A value specified for a secondary "
                 "index key is not supported. The AttributeValue for a key attribute cannot "
                 "contain an empty string value. IndexName: by_gh, IndexKey: gh"));
  CHECK(message(writes("Things", put("a") + R"(,{"PutRequest":{"Item":{"pk":{"S":"b"}}},)"
                                            R"("DeleteRequest":{"Key":{"pk":{"S":"b"}}}})")) ==
        validation("Supplied AttributeValue has more than one datatypes set, must contain exactly "
                   "one of the supported datatypes"));
  std::string many;
  for (int i = 0; i < 20; ++i) many += (many.empty() ? "" : ",") + put(std::to_string(i));
  CHECK(message(writes("Things", many) + "," + writes("Range", many)) ==
        validation("Too many items requested for the BatchWriteItem call"));
}

TEST_CASE("batches: the classic profile counts empty requests among the violations", "[engine]") {
  Settings settings;
  settings.error_wording = Profile::Classic;
  EngineHarness engine(settings);
  const std::string empty = R"({"RequestItems":{},"ReturnConsumedCapacity":"X"})";
  const std::string both = validation(
      "2 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to "
      "satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; "
      "Value '{}' at 'requestItems' failed to satisfy constraint: Member must have "
      "length greater than or equal to 1");
  CHECK(engine.call("BatchGetItem", empty).json == both);
  CHECK(engine.call("BatchWriteItem", empty).json == both);
}

TEST_CASE("batch write: a wrong table name yields to other violations", "[engine]") {
  EngineHarness engine;
  CHECK(engine
            .call("BatchWriteItem",
                  get(writes("a!", put("a")), R"(,"ReturnItemCollectionMetrics":"X")"))
            .json ==
        validation("1 validation error detected: Value 'X' at 'returnItemCollectionMetrics' failed "
                   "to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"));
}
