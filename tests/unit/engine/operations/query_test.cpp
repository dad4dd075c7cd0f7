#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/engine/operations/read_pages.h"

using namespace stator;
using namespace stator::test;

namespace {

std::string attribute(std::string_view name, std::string_view type) {
  return R"({"AttributeName":")" + std::string(name) + R"(","AttributeType":")" +
         std::string(type) + "\"}";
}
std::string key(std::string_view name, std::string_view key_type) {
  return R"({"AttributeName":")" + std::string(name) + R"(","KeyType":")" + std::string(key_type) +
         "\"}";
}
std::string range_table(std::string_view sort_type, std::string_view attributes = {},
                        std::string_view more = {}) {
  return R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)" +
         attribute("pk", "S") + "," + attribute("sk", sort_type) + std::string(attributes) +
         R"(],"KeySchema":[)" + key("pk", "HASH") + "," + key("sk", "RANGE") + "]" +
         std::string(more) + "}";
}

// An index without its closing brace; the projection is KEYS_ONLY, INCLUDE ["note"] or ALL.
std::string index(std::string_view name, std::string_view keys, std::string_view projection) {
  std::string text = R"({"IndexName":")" + std::string(name) + R"(","KeySchema":[)" +
                     std::string(keys) + R"(],"Projection":{"ProjectionType":")" +
                     std::string(projection) + "\"";
  if (projection == "INCLUDE") text += R"(,"NonKeyAttributes":["note"])";
  return text + "}}";
}

// A table with one local index on `la` and global indexes on (gh, gr) and on gh alone.
std::string indexed_table(std::string_view local_projection = "KEYS_ONLY",
                          std::string_view global_projection = "KEYS_ONLY") {
  return range_table(
      "S", "," + attribute("la", "S") + "," + attribute("gh", "S") + "," + attribute("gr", "N"),
      R"(,"LocalSecondaryIndexes":[)" +
          index("by_la", key("pk", "HASH") + "," + key("la", "RANGE"), local_projection) +
          R"(],"GlobalSecondaryIndexes":[)" +
          index("by_gr", key("gh", "HASH") + "," + key("gr", "RANGE"), global_projection) + "," +
          index("by_gh", key("gh", "HASH"), "ALL") + "]");
}

void put(EngineHarness& engine, std::string_view item) {
  const Answer answer =
      engine.call("PutItem", R"({"TableName":"Things","Item":)" + std::string(item) + "}");
  INFO(answer.json);
  REQUIRE(answer.ok);
}

std::string item(std::string_view pk, std::string_view sort_type, std::string_view sk,
                 std::string_view more = {}) {
  return R"({"pk":{"S":")" + std::string(pk) + R"("},"sk":{")" + std::string(sort_type) + R"(":")" +
         std::string(sk) + "\"}" + std::string(more) + "}";
}

// The request for an expression whose values are given as JSON, without its closing brace.
std::string query(std::string_view expression, std::string_view values,
                  std::string_view more = {}) {
  return R"({"TableName":"Things","KeyConditionExpression":")" + std::string(expression) +
         R"(","ExpressionAttributeValues":{)" + std::string(values) + "}" + std::string(more);
}
std::string of_a(std::string_view more = {}) { return query("pk = :p", R"(":p":{"S":"a"})", more); }

std::vector<std::string> sort_keys(const std::vector<std::string>& items) {
  std::vector<std::string> keys;
  for (const std::string& text : items) {
    const std::string value = Answer{true, text}.member("sk");
    const std::size_t begin = value.find(':') + 2;
    keys.push_back(value.substr(begin, value.size() - begin - 2));
  }
  return keys;
}

constexpr std::string_view kWithUnits = R"(,"ReturnConsumedCapacity":"INDEXES")";

// Every operator over every pair of `values`, which are in order, against the order itself.
void check_operators(std::string_view type, const std::vector<std::string>& values) {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table(type)).ok);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Not in order, and between other partitions.
    put(engine, item("a", type, values[(i * 7) % values.size()]));
    put(engine, item("b", type, values[i]));
  }
  const auto value = [&](std::size_t i) {
    return "{\"" + std::string(type) + "\":\"" + values[i] + "\"}";
  };
  const auto check = [&](std::string_view condition, std::size_t x, std::size_t y,
                         const std::function<bool(std::size_t)>& wanted) {
    std::string named_values = R"(":p":{"S":"a"},":x":)" + value(x);
    if (condition.find(":y") != std::string_view::npos) named_values += ",\":y\":" + value(y);
    const std::string body = query("pk = :p AND " + std::string(condition), named_values);
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (wanted(i)) expected.push_back(values[i]);
    }
    INFO(body);
    CHECK(sort_keys(items_of(engine.call("Query", body + "}"))) == expected);
    std::reverse(expected.begin(), expected.end());
    CHECK(sort_keys(items_of(engine.call("Query", body + R"(,"ScanIndexForward":false})"))) ==
          expected);
  };
  for (std::size_t x = 0; x < values.size(); ++x) {
    check("sk = :x", x, 0, [&](std::size_t i) { return i == x; });
    check("sk < :x", x, 0, [&](std::size_t i) { return i < x; });
    check("sk <= :x", x, 0, [&](std::size_t i) { return i <= x; });
    check("sk > :x", x, 0, [&](std::size_t i) { return i > x; });
    check(":x <= sk", x, 0, [&](std::size_t i) { return i >= x; });
    for (std::size_t y = x; y < values.size(); ++y) {
      check("sk BETWEEN :x AND :y", x, y, [&](std::size_t i) { return i >= x && i <= y; });
    }
  }
}

}  // namespace

TEST_CASE("query: every operator on strings, numbers and binary", "[engine]") {
  check_operators("S", {"!", "A", "AB", "B", "a", "a b", "aa", "a~", "é", "豆", "😀"});
  check_operators("N", {"-1000", "-12.5", "-12", "-0.01", "0", "0.01", "7", "12", "12.5", "100"});
  // 00, 00 00, 00 01, 01, 7F, 80, FE FF, FF, FF 00, FF FF
  check_operators("B",
                  {"AA==", "AAA=", "AAE=", "AQ==", "fw==", "gA==", "/v8=", "/w==", "/wA=", "//8="});
}

TEST_CASE("query: begins_with", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("S")).ok);
  for (const char* sk : {"a", "ab", "abc", "abd", "ac", "b", "\\uffff", "\\uffffx"}) {
    put(engine, item("a", "S", sk));
  }
  const auto found = [&](const std::string& prefix) {
    return sort_keys(
        items_of(engine.call("Query", query("pk = :p AND begins_with(sk, :x)",
                                            R"(":p":{"S":"a"},":x":{"S":")" + prefix + "\"}") +
                                          "}")));
  };
  using Keys = std::vector<std::string>;
  CHECK(found("ab") == Keys{"ab", "abc", "abd"});
  CHECK(found("abc") == Keys{"abc"});
  CHECK(found("abcd").empty());
  CHECK(found("b") == Keys{"b"});
  CHECK(found("\\uffff").size() == 2);
  EngineHarness binary;
  REQUIRE(binary.call("CreateTable", range_table("B")).ok);
  for (const char* sk : {"/g==", "/w==", "/wA=", "//8=", "////"}) put(binary, item("a", "B", sk));
  // No key follows those that begin with FF FF.
  CHECK(sort_keys(items_of(binary.call("Query", query("pk = :p AND begins_with(sk, :x)",
                                                      R"(":p":{"S":"a"},":x":{"B":"//8="})") +
                                                    "}"))) == Keys{"//8=", "////"});
}

TEST_CASE("query: KeyConditions mean the same", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("N")).ok);
  for (const char* sk : {"1", "2", "10"}) put(engine, item("a", "N", sk));
  const Answer answer = engine.call(
      "Query",
      R"({"TableName":"Things","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":)"
      R"([{"S":"a"}]},"sk":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"2"},{"N":"10"}]}},)"
      R"j("FilterExpression":"attribute_not_exists(x)"})j");
  CHECK(sort_keys(items_of(answer)) == std::vector<std::string>{"2", "10"});
}

TEST_CASE("query: pages of every size, both ways", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("N")).ok);
  std::vector<std::string> forwards;
  for (int i = 0; i < 23; ++i) {
    forwards.push_back(std::to_string(i * 3 - 30));
    put(engine, item("a", "N", forwards.back()));
    put(engine, item("b", "N", forwards.back()));
  }
  std::vector<std::string> backwards(forwards.rbegin(), forwards.rend());
  for (std::size_t limit = 1; limit <= 25; ++limit) {
    INFO(limit);
    const Pages pages = read_pages(engine, "Query", of_a(), limit);
    CHECK(sort_keys(pages.items) == forwards);
    // A page that ends exactly with the range does not know it.
    CHECK(pages.count == 23 / limit + 1);
    CHECK(
        sort_keys(read_pages(engine, "Query", of_a(R"(,"ScanIndexForward":false)"), limit).items) ==
        backwards);
    // Inside a condition on the sort key.
    const std::string some = query("pk = :p AND sk BETWEEN :x AND :y",
                                   R"(":p":{"S":"a"},":x":{"N":"-9"},":y":{"N":"9"})");
    CHECK(sort_keys(read_pages(engine, "Query", some, limit).items) ==
          std::vector<std::string>{"-9", "-6", "-3", "0", "3", "6", "9"});
  }
}

TEST_CASE("query: a start key is a place, whatever happens to its item", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("N")).ok);
  for (int i = 0; i < 10; ++i) put(engine, item("a", "N", std::to_string(i * 10)));
  const Answer first = engine.call("Query", of_a(R"(,"Limit":4})"));
  CHECK(first.member("LastEvaluatedKey") == R"({"pk":{"S":"a"},"sk":{"N":"30"}})");
  REQUIRE(
      engine.call("DeleteItem", R"({"TableName":"Things","Key":)" + item("a", "N", "30") + "}").ok);
  put(engine, item("a", "N", "5"));   // behind
  put(engine, item("a", "N", "35"));  // ahead
  const std::string from_30 = R"(,"ExclusiveStartKey":)" + item("a", "N", "30");
  CHECK(sort_keys(items_of(engine.call("Query", of_a(from_30 + "}")))) ==
        std::vector<std::string>{"35", "40", "50", "60", "70", "80", "90"});
  CHECK(
      sort_keys(items_of(engine.call("Query", of_a(from_30 + R"(,"ScanIndexForward":false})")))) ==
      std::vector<std::string>{"20", "10", "5", "0"});
  // Also one that never was.
  CHECK(sort_keys(items_of(engine.call(
            "Query", of_a(R"(,"ExclusiveStartKey":)" + item("a", "N", "85.5") + "}")))) ==
        std::vector<std::string>{"90"});
}

TEST_CASE("query: indexes page through equal keys without loss", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  for (int i = 0; i < 12; ++i) {
    const std::string pk = i % 3 == 0 ? "a" : "p" + std::to_string(i);
    put(engine, item(pk, "S", "s" + std::to_string(i),
                     R"(,"la":{"S":"same"},"gh":{"S":"g"},"gr":{"N":"5"})"));
  }
  put(engine, item("a", "S", "no index key"));
  const std::string local = of_a(R"(,"IndexName":"by_la")");
  const std::string global =
      query("gh = :g AND gr = :r", R"(":g":{"S":"g"},":r":{"N":"5"})", R"(,"IndexName":"by_gr")");
  const std::string hash_only = query("gh = :g", R"(":g":{"S":"g"})", R"(,"IndexName":"by_gh")");
  const std::vector<std::pair<std::string, std::size_t>> cases{
      {local, 4}, {global, 12}, {hash_only, 12}};
  for (const auto& [body, count] : cases) {
    const auto whole = read_pages(engine, "Query", body).items;
    CHECK(whole.size() == count);
    const std::vector<std::string> reversed(whole.rbegin(), whole.rend());
    for (std::size_t limit = 1; limit <= count + 1; ++limit) {
      INFO(body << " " << limit);
      CHECK(read_pages(engine, "Query", body, limit).items == whole);
      CHECK(read_pages(engine, "Query", body + R"(,"ScanIndexForward":false)", limit).items ==
            reversed);
    }
  }
  CHECK(engine.call("Query", local + R"(,"Limit":1})").member("LastEvaluatedKey") ==
        R"({"pk":{"S":"a"},"la":{"S":"same"},"sk":{"S":"s0"}})");
}

TEST_CASE("query: indexes with several keys", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine
              .call("CreateTable",
                    range_table("S",
                                "," + attribute("g1", "S") + "," + attribute("g2", "N") + "," +
                                    attribute("r1", "S") + "," + attribute("r2", "N"),
                                R"(,"GlobalSecondaryIndexes":[)" +
                                    index("many",
                                          key("g1", "HASH") + "," + key("g2", "HASH") + "," +
                                              key("r1", "RANGE") + "," + key("r2", "RANGE"),
                                          "KEYS_ONLY") +
                                    "]"))
              .ok);
  int number = 0;
  for (const char* r1 : {"a", "ab", "b"}) {
    for (const char* r2 : {"-1", "2", "10"}) {
      for (const char* g2 : {"1", "2"}) {
        put(engine, item("p", "S", std::string(r1) + r2 + "." + std::to_string(++number),
                         R"(,"g1":{"S":"g"},"g2":{"N":")" + std::string(g2) + R"("},"r1":{"S":")" +
                             r1 + R"("},"r2":{"N":")" + r2 + "\"}"));
      }
    }
  }
  const auto run = [&](const std::string& conditions, const std::string& values) {
    return engine.call(
        "Query", query("g1 = :g AND g2 = :h" + conditions,
                       R"(":g":{"S":"g"},":h":{"N":"2"})" + values, R"(,"IndexName":"many"})"));
  };
  const auto found = [&](const std::string& conditions, const std::string& values) {
    std::vector<std::string> keys = sort_keys(items_of(run(conditions, values)));
    for (std::string& text : keys) text.resize(text.find('.'));
    return keys;
  };
  using Keys = std::vector<std::string>;
  CHECK(found("", "") == Keys{"a-1", "a2", "a10", "ab-1", "ab2", "ab10", "b-1", "b2", "b10"});
  CHECK(found(" AND r1 = :r", R"(,":r":{"S":"a"})") == Keys{"a-1", "a2", "a10"});
  CHECK(found(" AND begins_with(r1, :r)", R"(,":r":{"S":"a"})") ==
        Keys{"a-1", "a2", "a10", "ab-1", "ab2", "ab10"});
  CHECK(found(" AND r1 > :r", R"(,":r":{"S":"a"})") ==
        Keys{"ab-1", "ab2", "ab10", "b-1", "b2", "b10"});
  CHECK(found(" AND r1 = :r AND r2 < :s", R"(,":r":{"S":"ab"},":s":{"N":"10"})") ==
        Keys{"ab-1", "ab2"});
  CHECK(found(" AND r1 = :r AND r2 >= :s", R"(,":r":{"S":"ab"},":s":{"N":"2"})") ==
        Keys{"ab2", "ab10"});
  CHECK(found(" AND r1 = :r AND r2 BETWEEN :s AND :t",
              R"(,":r":{"S":"b"},":s":{"N":"-5"},":t":{"N":"2"})") == Keys{"b-1", "b2"});
  CHECK(run(" AND r2 = :s", R"(,":s":{"N":"2"})").json ==
        validation("Query condition missed key schema element: r1"));
  CHECK(run(" AND r1 > :r AND r2 = :s", R"(,":r":{"S":"a"},":s":{"N":"2"})").json ==
        validation("Query key condition not supported: the condition on sort key r1 must use = "
                   "because a later sort key has one, too: r2"));
  CHECK(engine
            .call("Query", query("g1 = :g AND r1 = :r", R"(":g":{"S":"g"},":r":{"S":"a"})",
                                 R"(,"IndexName":"many"})"))
            .json == validation("Query condition missed key schema element: g2"));
  for (std::size_t limit = 1; limit <= 10; ++limit) {
    const std::string body =
        query("g1 = :g AND g2 = :h", R"(":g":{"S":"g"},":h":{"N":"2"})", R"(,"IndexName":"many")");
    CHECK(read_pages(engine, "Query", body, limit).items ==
          items_of(engine.call("Query", body + "}")));
  }
}

TEST_CASE("query: key conditions that do not fit the schema", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("S")).ok);
  REQUIRE(engine.call("CreateTable", hash_table("Hashes")).ok);
  const auto answer = [&](std::string_view condition, std::string_view values) {
    return engine.call("Query", query(condition, values) + "}").json;
  };
  const std::string empty_key =
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty string value. Key: ";
  CHECK(answer("pk = :p", R"(":p":{"S":""})") == validation(empty_key + "pk"));
  CHECK(answer("pk = :p AND sk BETWEEN :x AND :p", R"(":p":{"S":"a"},":x":{"S":""})") ==
        validation(empty_key + "sk"));
  CHECK(answer("pk = :p", R"(":p":{"S":")" + std::string(2049, 'x') + "\"}") ==
        validation("One or more parameter values were invalid: Size of hashkey has exceeded the "
                   "maximum size limit of2048 bytes"));
  CHECK(answer("pk = :p AND sk > :x",
               R"(":p":{"S":"a"},":x":{"S":")" + std::string(1025, 'x') + "\"}") ==
        validation("One or more parameter values were invalid: Aggregated size of all range keys "
                   "has exceeded the size limit of 1024 bytes"));
  CHECK(engine
            .call("Query", R"({"TableName":"Hashes","KeyConditionExpression":"pk = :p AND x = :p",)"
                           R"("ExpressionAttributeValues":{":p":{"S":"a"}}})")
            .json == validation("The number of query conditions (2) exceeds the number of key "
                                "attributes defined in the schema (1)"));
}

TEST_CASE("query: start keys that do not fit", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  REQUIRE(engine.call("CreateTable", hash_table("Hashes")).ok);
  put(engine, item("a", "S", "s", R"(,"la":{"S":"l"},"gh":{"S":"g"},"gr":{"N":"1"})"));
  const auto from = [&](const std::string& body, std::string_view start) {
    return engine.call("Query", body + R"(,"ExclusiveStartKey":)" + std::string(start) + "}").json;
  };
  const std::string with_sort = query("pk = :p AND sk > :x", R"(":p":{"S":"a"},":x":{"S":"m"})");
  CHECK(from(of_a(), R"({"pk":{"S":"a"},"sk":{"N":"1"}})") ==
        validation("The provided key element does not match the schema"));
  CHECK(from(of_a(), R"({"pk":{"S":"b"},"sk":{"S":"s"}})") ==
        validation("The provided starting key is outside query boundaries based on provided "
                   "conditions"));
  CHECK(from(with_sort, R"({"pk":{"S":"a"},"sk":{"S":"a"}})") ==
        validation("The provided starting key does not match the range key predicate"));
  CHECK(from(with_sort, R"({"pk":{"S":"b"},"sk":{"S":"z"}})") ==
        validation("The query can return at most one row and cannot be restarted"));
  CHECK(from(query("pk = :p AND sk = :x", R"(":p":{"S":"a"},":x":{"S":"m"})"),
             R"({"pk":{"S":"a"},"sk":{"S":"m"}})") ==
        validation("The query can return at most one row and cannot be restarted"));
  CHECK(from(R"({"TableName":"Hashes","KeyConditionExpression":"pk = :p",)"
             R"("ExpressionAttributeValues":{":p":{"S":"x"}})",
             R"({"pk":{"S":"x"}})") ==
        validation("The provided exclusive start key is invalid: ExclusiveStartKey: "
                   "{pk=AttributeValue: {S:x}}"));
  const std::string global = query("gh = :g", R"(":g":{"S":"g"})", R"(,"IndexName":"by_gr")");
  CHECK(from(global, R"({"gh":{"S":"g"},"gr":{"S":"1"},"pk":{"S":"a"},"sk":{"S":"s"}})") ==
        validation("The provided key element does not match the schema"));
  CHECK(from(global, R"({"gh":{"S":"g"},"gr":{"N":"1"},"pk":{"S":"a"},"sk":{"N":"1"}})") ==
        validation("The provided starting key is invalid: The provided key element does not match "
                   "the schema"));
  CHECK(from(global, R"({"gh":{"S":"h"},"gr":{"N":"1"},"pk":{"S":"a"},"sk":{"S":"s"}})") ==
        validation("The provided starting key is outside query boundaries based on provided "
                   "conditions"));
  // One item at most: nothing to go on with, so no key to do it with.
  CHECK(engine
            .call("Query", query("pk = :p AND sk = :x", R"(":p":{"S":"a"},":x":{"S":"s"})",
                                 R"(,"Select":"COUNT","Limit":1})"))
            .json == R"({"Count":1,"ScannedCount":1})");
}

TEST_CASE("query: select, filter and projection", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table("INCLUDE", "INCLUDE")).ok);
  for (int i = 0; i < 4; ++i) {
    put(engine,
        item("a", "S", "s" + std::to_string(i),
             R"(,"la":{"S":"l"},"gh":{"S":"g"},"gr":{"N":"1"},"note":{"S":"n"},"n":{"N":")" +
                 std::to_string(i) + R"("},"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}})"));
  }
  CHECK(engine.call("Query", of_a(R"(,"Select":"COUNT"})")).json ==
        R"({"Count":4,"ScannedCount":4})");
  const std::string filtered =
      query("pk = :p", R"(":p":{"S":"a"},":n":{"N":"1"})", R"(,"FilterExpression":"n > :n")");
  CHECK(sort_keys(items_of(engine.call("Query", filtered + "}"))) ==
        std::vector<std::string>{"s2", "s3"});
  const Answer counted = engine.call("Query", filtered + R"(,"Select":"COUNT","Limit":3})");
  CHECK(counted.json ==
        R"({"Count":1,"ScannedCount":3,"LastEvaluatedKey":{"pk":{"S":"a"},"sk":{"S":"s2"}}})");
  CHECK(items_of(
            engine.call("Query", of_a(R"(,"Limit":1,"ProjectionExpression":"m.y, sk, nowhere"})")))
            .front() == R"({"m":{"M":{"y":{"N":"2"}}},"sk":{"S":"s0"}})");
  CHECK(engine
            .call("Query",
                  R"({"TableName":"Things","KeyConditions":{"pk":{"ComparisonOperator":"EQ",)"
                  R"("AttributeValueList":[{"S":"a"}]}},"AttributesToGet":["n"],"QueryFilter":)"
                  R"({"n":{"ComparisonOperator":"LT","AttributeValueList":[{"N":"1"}]}}})")
            .json == R"({"Items":[{"n":{"N":"0"}}],"Count":1,"ScannedCount":4})");

  const std::string local = R"(,"IndexName":"by_la","Limit":1)";
  const std::string carried =
      R"({"gh":{"S":"g"},"gr":{"N":"1"},"la":{"S":"l"},"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}},)"
      R"("n":{"N":"0"},"note":{"S":"n"},"pk":{"S":"a"},"sk":{"S":"s0"}})";
  const std::string projected =
      R"({"la":{"S":"l"},"note":{"S":"n"},"pk":{"S":"a"},"sk":{"S":"s0"}})";
  CHECK(items_of(engine.call("Query", of_a(local + "}"))).front() == projected);
  CHECK(items_of(engine.call("Query", of_a(local + R"(,"Select":"ALL_PROJECTED_ATTRIBUTES"})")))
            .front() == projected);
  CHECK(items_of(engine.call("Query", of_a(local + R"(,"Select":"ALL_ATTRIBUTES"})"))).front() ==
        carried);
  CHECK(items_of(engine.call("Query", of_a(local + R"(,"ProjectionExpression":"n, note"})")))
            .front() == R"({"n":{"N":"0"},"note":{"S":"n"}})");
  // What an index does not carry is not there for a filter, unless the items are fetched.
  const std::string by_n = query("pk = :p", R"(":p":{"S":"a"},":n":{"N":"1"})",
                                 R"(,"IndexName":"by_la","FilterExpression":"n > :n")");
  CHECK(items_of(engine.call("Query", by_n + "}")).empty());
  CHECK(items_of(engine.call("Query", by_n + R"(,"ProjectionExpression":"n"})")).size() == 2);

  const std::string global = query("gh = :g", R"(":g":{"S":"g"})", R"(,"IndexName":"by_gr")");
  CHECK(engine.call("Query", global + R"(,"ProjectionExpression":"n, note, m.x"})").json ==
        validation("One or more parameter values were invalid: Global secondary index by_gr does "
                   "not project [n, m]"));
  CHECK(engine.call("Query", global + R"(,"Select":"ALL_ATTRIBUTES"})").json ==
        validation("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
                   "supported for global secondary index by_gr because its projection type is not "
                   "ALL"));
  CHECK(items_of(engine.call("Query", global + R"(,"ProjectionExpression":"note, pk","Limit":1})"))
            .front() == R"({"note":{"S":"n"},"pk":{"S":"a"}})");
  CHECK(items_of(engine.call("Query", query("gh = :g", R"(":g":{"S":"g"})",
                                            R"(,"IndexName":"by_gh","Select":"ALL_ATTRIBUTES"})")))
            .size() == 4);
  // Keys of the index read, not those of the table.
  CHECK(engine
            .call("Query", query("gh = :g", R"(":g":{"S":"g"})",
                                 R"(,"IndexName":"by_gr","FilterExpression":"pk = :g"})"))
            .json == R"({"Items":[],"Count":0,"ScannedCount":4})");
  CHECK(engine
            .call("Query", query("gh = :g", R"(":g":{"S":"g"})",
                                 R"(,"IndexName":"by_gr","FilterExpression":"gr = :g"})"))
            .json ==
        validation("Filter Expression can only contain non-primary key attributes: Primary key "
                   "attribute: gr"));
}

// Pages recorded from the live service.
TEST_CASE("query: a page ends at 1 MB of packed items", "[engine]") {
  struct Recorded {
    std::size_t length, length_23, length_24;
    bool has_long_name;
    std::string count, units, last;
  };
  const std::vector<Recorded> pages{
      {41645, 41645, 41645, true, "25", "128.0", ""},
      {41645, 41645, 41646, false, "25", "127.5", "24"},
      {43372, 43387, 44999, true, "25", "133.5", "24"},
      {43372, 43388, 44999, false, "24", "127.5", "23"},
  };
  for (const Recorded& page : pages) {
    EngineHarness engine;
    REQUIRE(engine.call("CreateTable", range_table("S")).ok);
    const std::string name(page.has_long_name ? 255 : 1, 'e');
    for (int i = 0; i < 25; ++i) {
      const std::size_t length = i == 23 ? page.length_23 : i == 24 ? page.length_24 : page.length;
      const std::string number = i < 10 ? "0" + std::to_string(i) : std::to_string(i);
      put(engine, R"({"pk":{"S":"0123456789"},"sk":{"S":")" + number + R"("},")" + name +
                      R"(":{"S":")" + std::string(length, 'e') + "\"}}");
    }
    const Answer answer =
        engine.call("Query", query("pk = :p", R"(":p":{"S":"0123456789"})",
                                   R"(,"Select":"COUNT","ReturnConsumedCapacity":"TOTAL"})"));
    INFO(answer.json);
    CHECK(answer.member("Count") == page.count);
    CHECK(
        answer.member("LastEvaluatedKey") ==
        (page.last.empty() ? "" : R"({"pk":{"S":"0123456789"},"sk":{"S":")" + page.last + "\"}}"));
    CHECK(answer.member("CapacityUnits") == page.units);
  }
}

TEST_CASE("query: units", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", range_table("N")).ok);
  // 64 bytes each: 96 KB.
  for (int i = 1000; i < 2500; ++i) {
    put(engine, item("a", "N", std::to_string(i),
                     R"(,"x":{"S":")" + std::string(i % 100 == 0 ? 56 : 55, 'x') + "\"}"));
  }
  CHECK(engine.call("Query", of_a(R"(,"Select":"COUNT"})")).units_milli == 12'000);
  const std::string strong = R"(,"ConsistentRead":true)";
  CHECK(engine.call("Query", of_a(strong + "}")).units_milli == 24'000);
  CHECK(engine.call("Query", of_a(strong + R"(,"Limit":64})")).units_milli == 1'000);
  CHECK(engine.call("Query", of_a(strong + R"(,"Limit":65})")).units_milli == 2'000);
  // A filter saves nothing; nothing found costs the least there is.
  CHECK(engine.call("Query", of_a(R"j(,"FilterExpression":"attribute_exists(nowhere)"})j"))
            .units_milli == 12'000);
  CHECK(
      engine.call("Query", query("pk = :p", R"(":p":{"S":"none"})", std::string(kWithUnits) + "}"))
          .json ==
      R"({"Items":[],"Count":0,"ScannedCount":0,"ConsumedCapacity":{"TableName":"Things",)"
      R"("CapacityUnits":0.5,"Table":{"CapacityUnits":0.5}}})");
}

TEST_CASE("query: units of indexes and of items fetched for them", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  const auto fill = [&](std::size_t size, int count) {
    for (int i = 0; i < count; ++i) {
      put(engine, item("a", "S", "s" + std::to_string(i),
                       R"(,"la":{"S":"l"},"gh":{"S":"g"},"gr":{"N":"1"},"x":{"S":")" +
                           std::string(size, 'x') + "\"}"));
    }
  };
  const auto units = [&](const std::string& body) {
    return engine.call("Query", body + std::string(kWithUnits) + R"(,"Select":"COUNT"})")
        .member("ConsumedCapacity");
  };
  const auto fetched = [&](std::string_view more) {
    return engine
        .call("Query", of_a(R"(,"IndexName":"by_la","Select":"ALL_ATTRIBUTES")" +
                            std::string(more) + std::string(kWithUnits) + "}"))
        .member("ConsumedCapacity");
  };
  fill(10, 3);
  CHECK(fetched("") == R"({"TableName":"Things","CapacityUnits":2.0,"Table":{"CapacityUnits":1.5},)"
                       R"("LocalSecondaryIndexes":{"by_la":{"CapacityUnits":0.5}}})");
  CHECK(units(of_a(R"(,"IndexName":"by_la","ConsistentRead":true)")) ==
        R"({"TableName":"Things","CapacityUnits":1.0,"Table":{"CapacityUnits":0.0},)"
        R"("LocalSecondaryIndexes":{"by_la":{"CapacityUnits":1.0}}})");
  fill(9 * 1024, 3);
  CHECK(fetched("") == R"({"TableName":"Things","CapacityUnits":5.0,"Table":{"CapacityUnits":4.5},)"
                       R"("LocalSecondaryIndexes":{"by_la":{"CapacityUnits":0.5}}})");
  CHECK(fetched(R"(,"ConsistentRead":true)") ==
        R"({"TableName":"Things","CapacityUnits":10.0,"Table":{"CapacityUnits":9.0},)"
        R"("LocalSecondaryIndexes":{"by_la":{"CapacityUnits":1.0}}})");
  // Filtered items were fetched all the same.
  CHECK(fetched(R"j(,"FilterExpression":"attribute_not_exists(x)")j") == fetched(""));
  // 16,000 bytes are four blocks.
  fill(1960, 8);
  CHECK(units(query("gh = :g", R"(":g":{"S":"g"})", R"(,"IndexName":"by_gh")")) ==
        R"({"TableName":"Things","CapacityUnits":2.0,"Table":{"CapacityUnits":0.0},)"
        R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":2.0}}})");
}

TEST_CASE("query: a page with fetched items counts them in whole blocks", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  for (int i = 1000; i < 1300; ++i) {
    put(engine, item("a", "S", std::to_string(i), R"(,"la":{"S":"l"},"x":{"S":"x"})"));
  }
  // One block of entries until there are 4,096 bytes of them, and a block for each item: entries
  // have 15 bytes, so 255 items and a block reach 1 MB.
  const Answer answer =
      engine.call("Query", of_a(R"(,"IndexName":"by_la","Select":"ALL_ATTRIBUTES"})"));
  CHECK(answer.member("Count") == "255");
  CHECK(answer.member("LastEvaluatedKey") ==
        R"({"pk":{"S":"a"},"la":{"S":"l"},"sk":{"S":"1254"}})");
  CHECK(engine.call("Query", of_a(R"(,"IndexName":"by_la"})")).member("Count") == "300");
}

TEST_CASE("query: consistent reads are for tables and local indexes", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  const std::string strong = R"(,"ConsistentRead":true})";
  CHECK(engine.call("Query", of_a(strong)).ok);
  CHECK(engine.call("Query", of_a(R"(,"IndexName":"by_la")" + strong)).ok);
  CHECK(
      engine
          .call("Query", query("gh = :g", R"(":g":{"S":"g"})", R"(,"IndexName":"by_gh")") + strong)
          .json == validation("Consistent reads are not supported on global secondary indexes"));
}

// Longer than the store's own keys can be.
TEST_CASE("query: long keys page like short ones", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", indexed_table()).ok);
  const std::string beginning(700, 'b');
  const std::string partition(2000, 'p');
  std::vector<std::string> expected;
  for (int i = 10; i < 22; ++i) {
    expected.push_back(beginning + std::to_string(i) + std::string(i % 2 == 0 ? 300 : 1, 'e'));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    put(engine, item(partition, "S", expected[i],
                     R"(,"gr":{"N":")" + std::to_string(i) + R"("},"la":{"S":")" + beginning +
                         R"("},"gh":{"S":")" + partition + "\"}"));
  }
  const auto check = [&](const std::string& body, const std::vector<std::string>& wanted) {
    std::vector<std::string> reversed(wanted.rbegin(), wanted.rend());
    for (std::size_t limit = 1; limit <= wanted.size() + 1; ++limit) {
      CHECK(sort_keys(read_pages(engine, "Query", body, limit).items) == wanted);
      CHECK(sort_keys(
                read_pages(engine, "Query", body + R"(,"ScanIndexForward":false)", limit).items) ==
            reversed);
    }
  };
  const std::string value = R"(":p":{"S":")" + partition + "\"}";
  const auto also = [](const std::string& text) { return R"(,":x":{"S":")" + text + "\"}"; };
  check(query("pk = :p", value), expected);
  check(query("pk = :p AND sk > :x", value + also(expected[4])),
        {expected.begin() + 5, expected.end()});
  check(query("pk = :p AND begins_with(sk, :x)", value + also(beginning + "1")),
        {expected.begin(), expected.begin() + 10});
  check(query("pk = :p AND la = :x", value + also(beginning), R"(,"IndexName":"by_la")"), expected);
  check(query("gh = :p", value, R"(,"IndexName":"by_gr")"), expected);
  CHECK(
      read_pages(engine, "Scan", R"({"TableName":"Things","IndexName":"by_gh")", 5).items.size() ==
      expected.size());
}
