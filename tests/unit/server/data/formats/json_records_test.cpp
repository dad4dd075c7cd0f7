#include "server/data/formats/json_records.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/data/formats/text_source.h"

namespace stator::data {
namespace {

struct Case {
  std::string what;
  std::string text;
  std::string told;
};

std::string read_with_keys(const std::string& text, const std::string& table = "T") {
  ReadOptions options;
  options.keys = {"pk", "sk"};
  options.types = {{"pk", "S"}, {"sk", "N"}};
  options.table = table;
  return read_all(text, options);
}

void check_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    INFO(one.what);
    CHECK(read_with_keys(one.text) == one.told);
  }
}

constexpr const char* kA = R"({"pk":{"S":"a"},"sk":{"N":"1"}})";
constexpr const char* kB = R"({"pk":{"S":"b"},"sk":{"N":"2"}})";

std::string two(const std::string& before, const std::string& between, const std::string& after) {
  return before + kA + between + kB + after;
}

std::string one(const std::string& before, const std::string& after) { return before + kA + after; }

}  // namespace

TEST_CASE("json: requests of batch-write-item", "[server]") {
  const std::string puts = two(R"([{"PutRequest":{"Item":)", R"(}},{"PutRequest":{"Item":)", "}}]");
  check_all({
      {"one table", R"({"T":)" + puts + "}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2"},
      {"another table", R"({"Other":)" + puts + "}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2"},
      {"the whole input", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"T":)" + puts + "}}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2"},
      {"two files one after another", R"({"T":)" + puts + "}\n" + R"({"T":)" + puts + "}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2 / pk=a sk=1 / pk=b sk=2"},
      {"a table of two", R"({"Other":[{"PutRequest":{"Item":{"id":{"S":"x"}}}}],"T":)" + puts + "}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2"},
      {"two other tables", R"({"X":)" + puts + R"(,"Y":)" + puts + "}",
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 / pk=b sk=2 ! file line 1: it has "
       "items of several tables: 'X' and 'Y'"},
      {"deletes", one(R"({"T":[{"DeleteRequest":{"Key":)", "}}]}"),
       "DynamoDB JSON, input of batch-write-item: -pk=a sk=1"},
      {"plain values", R"({"T":[{"PutRequest":{"Item":{"pk":"a","sk":1}}}]})",
       "JSON, input of batch-write-item: pk=a sk=1"},
      {"a request in each line", one(R"({"PutRequest":{"Item":)", "}}\n"),
       "DynamoDB JSON Lines, input of batch-write-item: pk=a sk=1"},
      {"cut", one(R"({"T":[{"PutRequest":{"Item":)", "}},"),
       "DynamoDB JSON, input of batch-write-item: pk=a sk=1 ! file line 1: the file ends too "
       "early, or this is no JSON"},
  });
}

TEST_CASE("json: what other commands take and write", "[server]") {
  check_all({
      {"output of batch-get-item",
       two(R"({"Responses":{"T":[)", ",", R"(]},"UnprocessedKeys":{}})"),
       "DynamoDB JSON, output of batch-get-item: pk=a sk=1 / pk=b sk=2"},
      {"output of get-item", one(R"({"Item":)", "}"), "DynamoDB JSON Lines: pk=a sk=1"},
      {"output of get-item with capacity",
       one(R"({"Item":)", R"(,"ConsumedCapacity":{"TableName":"T"}})"),
       "DynamoDB JSON Lines, output of get-item: pk=a sk=1"},
      {"output of update-item", one(R"({"Attributes":)", "}"),
       "DynamoDB JSON Lines, output of update-item: pk=a sk=1"},
      {"input of put-item", one(R"({"TableName":"T","Item":)", "}"),
       "DynamoDB JSON Lines, input of put-item: pk=a sk=1"},
      {"input of put-item with a condition",
       one(R"({"TableName":"T","ConditionExpression":"pk <> :x","Item":)", "}"),
       "DynamoDB JSON Lines, input of put-item: pk=a sk=1"},
      {"input of transact-write-items",
       two(R"({"TransactItems":[{"Put":{"TableName":"T","Item":)",
           R"(}},{"Delete":{"TableName":"T","Key":)", "}}]}"),
       "DynamoDB JSON, the list 'TransactItems', input of transact-write-items: pk=a sk=1 / "
       "-pk=b sk=2"},
      {"an update is no item",
       R"({"TransactItems":[{"Update":{"TableName":"T","Key":{},"UpdateExpression":"SET a=:a"}}]})",
       "JSON, the list 'TransactItems', input of transact-write-items: [a request Update has no "
       "item]"},
      {"an event of Lambda",
       two(R"({"Records":[{"eventName":"INSERT","dynamodb":{"Keys":{},"NewImage":)",
           R"(}},{"eventName":"REMOVE","dynamodb":{"Keys":)", "}}]}"),
       "DynamoDB JSON, the list 'Records', records of a stream: pk=a sk=1 / -pk=b sk=2"},
      {"records of keys alone",
       one(R"({"Records":[{"eventName":"INSERT","dynamodb":{"Keys":)", "}}]}"),
       "JSON, the list 'Records', records of a stream: [its record has no new image]"},
      {"a file of an incremental export",
       two(R"({"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":)", R"(,"NewImage":)", "}"),
       "DynamoDB JSON Lines, records of an incremental export: pk=b sk=2"},
      {"output of scan", two(R"({"Items":[)", ",", R"(],"Count":2,"ScannedCount":2})"),
       "DynamoDB JSON, output of scan or query: pk=a sk=1 / pk=b sk=2"},
      {"output of scan of an SDK",
       one(R"({"$metadata":{"httpStatusCode":200},"Count":1,"Items":[)", "]}"),
       "DynamoDB JSON, output of scan or query: pk=a sk=1"},
  });
}

TEST_CASE("json: an object that has the keys is an item, whatever is in it", "[server]") {
  for (const std::string more :
       {R"("users":[{"pk":"x","sk":3}])", R"("Item":{"pk":"x","sk":3})", R"("Items":[])",
        R"("PutRequest":{"Item":{"pk":"x","sk":3}})", R"("Attributes":{"pk":"x","sk":3})",
        R"("T":[{"PutRequest":{"Item":{"pk":"x","sk":3}}}])",
        R"("Records":[{"dynamodb":{"Keys":{"pk":"x","sk":3}}}])"}) {
    INFO(more);
    CHECK(read_with_keys("{" + more + R"(,"pk":"a","sk":1})").starts_with("JSON Lines: "));
    CHECK(read_with_keys("{" + more + R"(,"pk":"a","sk":1})").ends_with("pk=a sk=1"));
    CHECK(read_with_keys("{\"pk\":\"a\",\n\"sk\":1," + more + "}")
              .starts_with("JSON objects one after another: pk=a sk=1 "));
  }
}

TEST_CASE("json: an attribute named Item is no item", "[server]") {
  ReadOptions options;
  options.keys = {"Item"};
  CHECK(read_all(R"({"Item":{"S":"x"}})", options) == "DynamoDB JSON Lines: Item=x");
  CHECK(read_all(R"({"Item":{"M":{"Item":{"S":"x"}}}})", {}) ==
        R"(DynamoDB JSON Lines: Item={"Item":{"S":"x"}})");
}

TEST_CASE("json: ImportTable takes nothing around items", "[server]") {
  ReadOptions options;
  options.keys = {"pk", "sk"};
  options.is_strict = true;
  options.format = Format::DynamodbJson;
  for (const std::string& text :
       {one(R"({"T":[{"PutRequest":{"Item":)", "}}]}"), one(R"({"users":[)", "]}"),
        one(R"({"Responses":{"T":[)", "]}}"), one(R"({"Attributes":)", "}")}) {
    INFO(text);
    CHECK(read_all(text, options).find("pk=a sk=1") == std::string::npos);
  }
  CHECK(read_all("{\n\"Item\":" + std::string(kA) + "}", options).find('[') != std::string::npos);
  CHECK(read_all(one(R"({"Item":)", "}"), options) == "DynamoDB JSON Lines: pk=a sk=1");
}

TEST_CASE("json: objects one after another", "[server]") {
  check_all({
      {"as jq prints", "{\n  \"pk\": \"a\",\n  \"sk\": 1\n}\n{\n  \"pk\": \"b\",\n  \"sk\": 2\n}\n",
       "JSON objects one after another: pk=a sk=1 / pk=b sk=2"},
      {"with types", "{\r\n \"pk\": {\"S\": \"a\"},\r\n \"sk\": {\"N\": \"1\"}\r\n}\r\n",
       "DynamoDB JSON objects one after another: pk=a sk=1"},
      {"with Item around", "{\n\"Item\": " + std::string(kA) + "\n}\n{\"Item\":" + kB + "}",
       "DynamoDB JSON objects one after another: pk=a sk=1 / pk=b sk=2"},
      {"in one line", R"({"pk":"a","sk":1}{"pk":"b","sk":2} {"pk":"c","sk":3})",
       "JSON objects one after another: pk=a sk=1 / pk=b sk=2 / pk=c sk=3"},
      {"brackets in strings", "{\"pk\":\"}{\\\"\",\n\"sk\":1}\n{\"pk\":\"b\",\"sk\":2}",
       "JSON objects one after another: pk=}{\" sk=1 / pk=b sk=2"},
      {"nested over lines", "{\"pk\":\"a\",\"sk\":1,\"l\":[\n{\"x\":1},\n{\"x\":2}]}\n",
       "JSON objects one after another: pk=a sk=1 "
       R"(l=[{"M":{"x":{"N":"1"}}},{"M":{"x":{"N":"2"}}}])"},
      {"something between", "{\"pk\":\"a\",\n\"sk\":1},\n{\"pk\":\"b\",\"sk\":2}",
       "JSON objects one after another: pk=a sk=1 ! file line 2: neither an object nor an array "
       "begins here"},
      {"cut", "{\"pk\":\"a\",\n\"sk\":1}\n{\"pk\":\"b\",\n",
       "JSON objects one after another: pk=a sk=1 ! file line 4: the file ends too early, or this "
       "is no JSON"},
      {"lines of which the first is cut", "{\"pk\":\"a\",\n{\"pk\":\"b\",\"sk\":2}\n",
       "JSON Lines: [it is no JSON, column 11: it ends too early] / pk=b sk=2"},
      {"lines of which the first is cut in a string", "{\"pk\":\"a\n{\"pk\":\"b\",\"sk\":2}\n",
       "JSON Lines: [it is no JSON, column 9: it ends too early] / pk=b sk=2"},
  });
}

TEST_CASE("json: a list under any name", "[server]") {
  check_all({
      {"plain", R"({"users":[{"pk":"a","sk":1},{"pk":"b","sk":2}]})",
       "JSON, the list 'users': pk=a sk=1 / pk=b sk=2"},
      {"with types", two("{\n\"users\": [\n", ",\n", "]}\n"),
       "DynamoDB JSON, the list 'users': pk=a sk=1 / pk=b sk=2"},
      {"with other members",
       R"({"total":1,"meta":{"x":[1]},"users":[{"pk":"a","sk":1}],"next":null})",
       "JSON, the list 'users': pk=a sk=1"},
      {"two objects",
       "{\"users\":[{\"pk\":\"a\",\"sk\":1}]}\n{\"users\":[{\"pk\":\"b\",\"sk\":2}]}",
       "JSON, the list 'users': pk=a sk=1 / pk=b sk=2"},
      {"empty", R"({"users":[]})", "JSON, the list 'users'"},
      {"plain items of a scan", R"({"Items":[{"pk":"a","sk":1}],"Count":1})",
       "JSON, the list 'Items': pk=a sk=1"},
      {"a name with an escape", R"({"us\u0065rs":[{"pk":"a","sk":1}]})",
       "JSON, the list 'users': pk=a sk=1"},
      {"an item without a key", R"({"pk":"a","lines":[{"x":1}]})",
       R"(JSON Lines: pk=a lines=[{"M":{"x":{"N":"1"}}}])"},
      {"another name later", "{\"users\":[{\"pk\":\"a\",\"sk\":1}]}\n{\"admins\":[]}",
       "JSON, the list 'users': pk=a sk=1 ! file line 2: an object without 'users'"},
      {"a second list later",
       "{\"users\":[{\"pk\":\"a\",\"sk\":1}]}\n{\"users\":[],\"admins\":[{}]}",
       "JSON, the list 'users': pk=a sk=1 ! file line 2: 'admins' is a list of objects beside "
       "'users'"},
  });
  CHECK(read_with_keys(R"({"users":[{"pk":"a","sk":1}],"admins":[{"pk":"b","sk":2}]})")
            .starts_with("JSON Lines: users="));
}

TEST_CASE("json: a long list is read element by element", "[server]") {
  std::string text = R"({"users":[)";
  const std::string large(60'000, 'x');
  for (int i = 0; i < 400; ++i) {
    if (i > 0) text += ",\n";
    text += R"({"pk":"a","sk":)" + std::to_string(i) + R"(,"v":")" + large + "\"}";
  }
  const std::string read = read_with_keys(text + "]}");
  CHECK(read.starts_with("JSON, the list 'users': pk=a sk=0 v=xxx"));
  CHECK(read.ends_with(large));
  CHECK(read.find(" sk=399 ") != std::string::npos);
}

TEST_CASE("json: small names of types", "[server]") {
  check_all({
      {"Data Pipeline", R"({"pk":{"s":"a"},"sk":{"n":"1"},"t":{"sS":["x"]},"b":{"b":"AQ=="}})",
       R"(DynamoDB JSON Lines, types in small letters: pk=a sk=1 t=["x"] b=AQ==)"},
      {"nested",
       R"({"pk":{"s":"a"},"sk":{"n":"1"},"m":{"m":{"s":{"l":[{"bOOL":true},{"nULLValue":true}]}}}})",
       "DynamoDB JSON Lines, types in small letters: pk=a sk=1 "
       R"(m={"s":{"L":[{"BOOL":true},{"NULL":true}]}})"},
      {"in a list", R"([{"pk":{"s":"a"},"sk":{"n":"1"}}])",
       "DynamoDB JSON array, types in small letters: pk=a sk=1"},
      {"a map of a plain item", R"({"pk":"a","sk":1,"m":{"s":"x"}})",
       R"(JSON Lines: pk=a sk=1 m={"s":{"S":"x"}})"},
      {"no keys", R"({"id":{"s":"a"}})", R"(JSON Lines: id={"s":{"S":"a"}})"},
  });
}

}  // namespace stator::data
