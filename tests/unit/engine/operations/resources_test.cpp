// What parsed requests touch: a table of requests and resources.
#include "engine/operations/resources.h"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;

namespace {

struct Row {
  std::string_view operation;
  std::string body;
  // "table", "table/index", or "table name=text …" with the attributes of the item; one after the
  // other behind "; ".
  std::string resources;
};

std::string text_of(const Resources& resources) {
  std::string text;
  for (const Resource& resource : resources) {
    text.append(text.empty() ? "" : "; ").append(resource.table);
    if (!resource.index.empty()) text.append("/").append(resource.index);
    for (const Member& attribute : resource.key)
      text.append(" ").append(attribute.name).append("=").append(attribute.value.bytes());
  }
  return text;
}

std::string touched(Engine& engine, const OperationTable& operations, const Row& row) {
  Call call;
  call.operation = operations.find(std::string(kDynamoDbTarget) + std::string(row.operation));
  REQUIRE(call.operation != nullptr);
  call.caller = {"us-east-1", "key", "localhost:8000"};
  std::string body = row.body;
  const auto root = read_json(body, call.arena);
  REQUIRE(root);
  const auto parsed = engine.parse(*root, call);
  INFO((parsed ? "" : parsed.error().render()));
  REQUIRE(parsed);
  Resources resources;
  call.operation->resources(call.request, resources);
  return text_of(resources);
}

}  // namespace

TEST_CASE("resources: every operation says what its request touches", "[engine]") {
  constexpr std::string_view kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Songs";
  const std::string arn(kArn);
  const std::string key = R"({"TableName":"Songs","Key":{"pk":{"S":"a"}})";
  const std::vector<Row> rows{
      {"GetItem", key + "}", "Songs pk=a"},
      {"GetItem", R"({"TableName":")" + arn + R"(","Key":{"pk":{"S":"a"}}})", arn + " pk=a"},
      {"PutItem", R"({"TableName":"Songs","Item":{"pk":{"S":"a"},"x":{"S":"y"}}})",
       "Songs pk=a x=y"},
      {"UpdateItem", key + R"(,"UpdateExpression":"REMOVE x"})", "Songs pk=a"},
      {"DeleteItem", key + "}", "Songs pk=a"},
      {"BatchGetItem",
       R"({"RequestItems":{"Songs":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]},)"
       R"("Bands":{"Keys":[{"pk":{"S":"c"}}]}}})",
       "Songs pk=a; Songs pk=b; Bands pk=c"},
      {"BatchWriteItem",
       R"({"RequestItems":{"Songs":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
       R"({"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})",
       "Songs pk=a; Songs pk=b"},
      {"Query",
       R"({"TableName":"Songs","KeyConditionExpression":"pk = :p",)"
       R"("ExpressionAttributeValues":{":p":{"S":"a"}}})",
       "Songs"},
      {"Query",
       R"({"TableName":"Songs","IndexName":"by_band","KeyConditionExpression":"pk = :p",)"
       R"("ExpressionAttributeValues":{":p":{"S":"a"}}})",
       "Songs/by_band"},
      {"Scan", R"({"TableName":"Songs"})", "Songs"},
      {"Scan", R"({"TableName":"Songs","IndexName":"by_band"})", "Songs/by_band"},
      {"CreateTable", hash_table("Songs"), "Songs"},
      {"UpdateTable", named("Songs", R"(,"DeletionProtectionEnabled":true)"), "Songs"},
      {"DeleteTable", named("Songs"), "Songs"},
      {"DescribeTable", named("Songs"), "Songs"},
      {"ListTables", "{}", ""},
      {"DescribeLimits", "{}", ""},
      {"DescribeEndpoints", "{}", ""},
      {"TagResource", R"({"ResourceArn":")" + arn + R"(","Tags":[{"Key":"k","Value":"v"}]})", arn},
      {"UntagResource", R"({"ResourceArn":")" + arn + R"(","TagKeys":["k"]})", arn},
      {"ListTagsOfResource", R"({"ResourceArn":")" + arn + R"("})", arn},
  };
  EngineHarness harness;
  const OperationTable operations = all_operations();
  for (const Row& row : rows) {
    INFO(row.operation << " " << row.body);
    CHECK(touched(harness.engine(), operations, row) == row.resources);
  }
}
