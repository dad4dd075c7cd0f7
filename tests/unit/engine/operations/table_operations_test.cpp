#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kStillInUse = "Attempt to change a resource which is still in use: ";

Settings delayed(std::chrono::microseconds delay) {
  Settings settings;
  settings.control_plane_delay = delay;
  return settings;
}

std::string provisioned_table(std::string_view name, int read, int write) {
  return R"({"TableName":")" + std::string(name) +
         R"(","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ProvisionedThroughput":{"ReadCapacityUnits":)" +
         std::to_string(read) + R"(,"WriteCapacityUnits":)" + std::to_string(write) + "}}";
}

std::string throughput(int read, int write) {
  return R"(,"ProvisionedThroughput":{"ReadCapacityUnits":)" + std::to_string(read) +
         R"(,"WriteCapacityUnits":)" + std::to_string(write) + "}";
}

}  // namespace

TEST_CASE("tables: creating answers CREATING and the next call sees ACTIVE", "[engine]") {
  EngineHarness engine;
  const Answer created = engine.call("CreateTable", hash_table("Music"));
  REQUIRE(created.ok);
  CHECK(created.member("TableStatus") == "\"CREATING\"");
  CHECK(created.member("CreationDateTime") == "1790000000.123");
  CHECK(created.member("TableArn") == "\"arn:aws:dynamodb:us-east-1:000000000000:table/Music\"");
  CHECK(created.member("BillingModeSummary") == R"({"BillingMode":"PAY_PER_REQUEST"})");
  CHECK(created.member("WarmThroughput").empty());
  const Answer described = engine.call("DescribeTable", named("Music"));
  CHECK(described.member("TableStatus") == "\"ACTIVE\"");
  CHECK(described.member("BillingModeSummary") ==
        R"({"BillingMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1790000000.123})");
  CHECK(described.member("WarmThroughput") ==
        R"({"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"})");
  CHECK(described.member("ProvisionedThroughput") ==
        R"({"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0})");
  CHECK(described.member("DeletionProtectionEnabled") == "false");
  CHECK(engine.call("CreateTable", hash_table("Music")).json ==
        in_use("Table already exists: Music"));
}

TEST_CASE("tables: with a delay they walk through their states", "[engine]") {
  EngineHarness engine(delayed(10s));
  engine.call("CreateTable", hash_table("Music"));
  CHECK(engine.call("DescribeTable", named("Music")).member("TableStatus") == "\"CREATING\"");
  const std::string being_created = std::string(kStillInUse) + "Table is being created: Music";
  CHECK(engine.call("CreateTable", hash_table("Music")).json == in_use(being_created));
  CHECK(engine.call("DeleteTable", named("Music")).json == in_use(being_created));
  CHECK(engine.call("UpdateTable", named("Music", R"(,"DeletionProtectionEnabled":true)")).json ==
        in_use(being_created));
  CHECK(engine.call("GetItem", named("Music", R"(,"Key":{"pk":{"S":"a"}})")).json ==
        not_found("Requested resource not found"));

  engine.clock().advance(10s);
  CHECK(engine.call("DescribeTable", named("Music")).member("TableStatus") == "\"ACTIVE\"");
  CHECK(engine.call("DeleteTable", named("Music")).member("TableStatus") == "\"DELETING\"");
  CHECK(engine.call("DescribeTable", named("Music")).member("TableStatus") == "\"DELETING\"");
  CHECK(engine.call("ListTables", "{}").json == R"({"TableNames":["Music"]})");
  CHECK(engine.call("DeleteTable", named("Music")).json ==
        in_use(std::string(kStillInUse) + "Table is being deleted: Music"));
  CHECK(engine.call("CreateTable", hash_table("Music")).json ==
        in_use("Table already exists: Music"));

  engine.clock().advance(10s);
  CHECK(engine.call("DescribeTable", named("Music")).json ==
        not_found("Requested resource not found: Table: Music not found"));
  CHECK(engine.call("ListTables", "{}").json == R"({"TableNames":[]})");
  CHECK(engine.call("CreateTable", hash_table("Music")).ok);
}

TEST_CASE("tables: a change of throughput shows the old units until it is done", "[engine]") {
  EngineHarness engine(delayed(10s));
  engine.call("CreateTable", provisioned_table("Music", 5, 5));
  engine.clock().advance(10s);
  const Answer updated = engine.call("UpdateTable", named("Music", throughput(7, 3)));
  REQUIRE(updated.ok);
  CHECK(updated.member("TableStatus") == "\"UPDATING\"");
  CHECK(
      updated.member("ProvisionedThroughput") ==
      R"({"LastIncreaseDateTime":1790000010.123,"LastDecreaseDateTime":1790000010.123,"NumberOfDecreasesToday":0,)"
      R"("ReadCapacityUnits":5,"WriteCapacityUnits":5})");
  CHECK(engine.call("UpdateTable", named("Music", throughput(8, 8))).json ==
        in_use(std::string(kStillInUse) + "Table IOPS are currently being updated. Table: Music"));
  CHECK(engine.call("DeleteTable", named("Music")).json ==
        in_use(std::string(kStillInUse) + "Table: Music is in the process of being updated."));
  CHECK(engine.call("UpdateTable", named("Music", R"(,"DeletionProtectionEnabled":true)")).json ==
        in_use("Table needs to be in ACTIVE status to modify deletion protection setting."));
  engine.clock().advance(10s);
  const Answer described = engine.call("DescribeTable", named("Music"));
  CHECK(described.member("TableStatus") == "\"ACTIVE\"");
  CHECK(
      described.member("ProvisionedThroughput") ==
      R"({"LastIncreaseDateTime":1790000010.123,"LastDecreaseDateTime":1790000010.123,"NumberOfDecreasesToday":1,)"
      R"("ReadCapacityUnits":7,"WriteCapacityUnits":3})");
  CHECK(described.member("WarmThroughput") ==
        R"({"ReadUnitsPerSecond":7,"WriteUnitsPerSecond":5,"Status":"ACTIVE"})");
  engine.clock().advance(24h);
  CHECK(engine.call("DescribeTable", named("Music")).member("NumberOfDecreasesToday") == "0");
}

TEST_CASE("tables: switching the billing mode there and back", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", provisioned_table("Music", 5, 6));
  CHECK(engine.call("DescribeTable", named("Music")).member("BillingModeSummary").empty());
  const Answer to_on_demand =
      engine.call("UpdateTable", named("Music", R"(,"BillingMode":"PAY_PER_REQUEST")"));
  CHECK(to_on_demand.member("TableStatus") == "\"UPDATING\"");
  CHECK(to_on_demand.member("ReadCapacityUnits") == "5");
  const Answer on_demand = engine.call("DescribeTable", named("Music"));
  CHECK(on_demand.member("ReadCapacityUnits") == "0");
  CHECK(on_demand.member("WarmThroughput") ==
        R"({"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"})");
  const Answer again =
      engine.call("UpdateTable", named("Music", R"(,"BillingMode":"PAY_PER_REQUEST")"));
  CHECK(again.member("TableStatus") == "\"UPDATING\"");
  const Answer back = engine.call(
      "UpdateTable", named("Music", R"(,"BillingMode":"PROVISIONED")" + throughput(2, 3)));
  REQUIRE(back.ok);
  const Answer described = engine.call("DescribeTable", named("Music"));
  CHECK(described.member("BillingModeSummary") ==
        R"({"BillingMode":"PROVISIONED","LastUpdateToPayPerRequestDateTime":1790000000.123})");
  CHECK(described.member("WriteCapacityUnits") == "3");
  CHECK(described.member("NumberOfDecreasesToday") == "0");
}

TEST_CASE("tables: deletion protection, class, ceilings and warm throughput", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Music", R"(,"DeletionProtectionEnabled":true)"));
  CHECK(engine.call("DeleteTable", named("Music")).json ==
        validation("Resource cannot be deleted as it is currently protected against deletion. "
                   "Disable deletion protection "
                   "first."));
  CHECK(engine.call("UpdateTable", named("Music", R"(,"DeletionProtectionEnabled":false)"))
            .member("TableStatus") == "\"ACTIVE\"");

  const Answer class_change =
      engine.call("UpdateTable", named("Music", R"(,"TableClass":"STANDARD_INFREQUENT_ACCESS")"));
  CHECK(class_change.member("TableStatus") == "\"UPDATING\"");
  CHECK(class_change.member("TableClassSummary").empty());
  CHECK(engine.call("DescribeTable", named("Music")).member("TableClassSummary") ==
        R"({"TableClass":"STANDARD_INFREQUENT_ACCESS","LastUpdateDateTime":1790000000.123})");

  engine.call("UpdateTable", named("Music", R"(,"OnDemandThroughput":{"MaxReadRequestUnits":5})"));
  CHECK(engine.call("DescribeTable", named("Music")).member("OnDemandThroughput") ==
        R"({"MaxReadRequestUnits":5})");
  const Answer removed = engine.call(
      "UpdateTable", named("Music", R"(,"OnDemandThroughput":{"MaxReadRequestUnits":-1})"));
  CHECK(removed.member("OnDemandThroughput") == R"({"MaxReadRequestUnits":-1})");
  CHECK(engine.call("DescribeTable", named("Music")).member("OnDemandThroughput").empty());

  CHECK(
      engine.call("UpdateTable", named("Music", R"(,"WarmThroughput":{"ReadUnitsPerSecond":5})"))
          .json ==
      validation("One or more parameter values were invalid: Requested ReadUnitsPerSecond for "
                 "WarmThroughput for table is "
                 "lower than current WarmThroughput, decreasing WarmThroughput is not supported"));
  CHECK(
      engine
          .call("UpdateTable", named("Music", R"(,"WarmThroughput":{"ReadUnitsPerSecond":13000})"))
          .ok);
  CHECK(engine.call("DescribeTable", named("Music")).member("WarmThroughput") ==
        R"({"ReadUnitsPerSecond":13000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"})");
  CHECK(engine.call("DeleteTable", named("Music")).ok);
}

TEST_CASE("tables: what is still to come is refused, not half done", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Music"));
  const std::string unknown = R"({"__type":"com.amazon.coral.service#UnknownOperationException"})";
  const std::string stream =
      R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})";
  CHECK(engine.call("UpdateTable", named("Music", stream)).json == unknown);
  CHECK(engine.call("CreateTable", hash_table("Other", R"(,"ResourcePolicy":"{}")")).json ==
        unknown);
  CHECK(engine.call("ListTables", "{}").json == R"({"TableNames":["Music"]})");
}

TEST_CASE("tables: Regions and access keys see what the isolation says", "[engine]") {
  const auto names = [](EngineHarness& engine, std::string_view region, std::string_view key) {
    return engine.call("ListTables", "{}", region, key).json;
  };
  const std::string none = R"({"TableNames":[]})";
  const std::string music = R"({"TableNames":["Music"]})";
  Settings settings;
  SECTION("by Region, as in the cloud") {
    EngineHarness engine(settings);
    engine.call("CreateTable", hash_table("Music"), "eu-west-1", "a");
    CHECK(names(engine, "eu-west-1", "b") == music);
    CHECK(names(engine, "us-east-1", "a") == none);
    CHECK(engine.call("DescribeTable", named("Music"), "eu-west-1").member("TableArn") ==
          "\"arn:aws:dynamodb:eu-west-1:000000000000:table/Music\"");
    CHECK(engine.warnings.empty());
    for (int i = 0; i < 2; ++i) {
      CHECK(engine.call("GetItem", named("Music", R"(,"Key":{"pk":{"S":"a"}})")).json ==
            not_found("Requested resource not found"));
    }
    REQUIRE(engine.warnings.size() == 1);
    CHECK(engine.warnings[0] ==
          "table 'Music' not found for Region 'us-east-1', but it exists for: eu-west-1");
  }
  SECTION("by access key too") {
    settings.isolation = Isolation::Key;
    EngineHarness engine(settings);
    engine.call("CreateTable", hash_table("Music"), "eu-west-1", "a");
    CHECK(names(engine, "eu-west-1", "a") == music);
    CHECK(names(engine, "eu-west-1", "b") == none);
    CHECK(names(engine, "us-east-1", "a") == none);
  }
  SECTION("not at all") {
    settings.isolation = Isolation::None;
    EngineHarness engine(settings);
    engine.call("CreateTable", hash_table("Music"), "eu-west-1", "a");
    CHECK(names(engine, "us-east-1", "b") == music);
  }
}

TEST_CASE("tables: an ARN is as good as a name, of the own Region and account only", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Music"));
  CHECK(engine.call("DescribeTable", named("arn:aws:dynamodb:us-east-1:000000000000:table/Music"))
            .ok);
  const std::string missing = not_found("Requested resource not found: Table: Music not found");
  CHECK(engine.call("DescribeTable", named("arn:aws:dynamodb:eu-west-1:000000000000:table/Music"))
            .json == missing);
  CHECK(engine.call("DescribeTable", named("arn:aws:dynamodb:us-east-1:111111111111:table/Music"))
            .json == missing);
}

TEST_CASE("tables: pages of names", "[engine]") {
  EngineHarness engine;
  for (const char* name : {"ccc", "aaa", "ddd", "bbb"})
    engine.call("CreateTable", hash_table(name));
  CHECK(engine.call("ListTables", R"({"Limit":2})").json ==
        R"({"TableNames":["aaa","bbb"],"LastEvaluatedTableName":"bbb"})");
  CHECK(engine.call("ListTables", R"({"Limit":2,"ExclusiveStartTableName":"bbb"})").json ==
        R"({"TableNames":["ccc","ddd"]})");
  CHECK(engine.call("ListTables", R"({"ExclusiveStartTableName":"bbbb"})").json ==
        R"({"TableNames":["ccc","ddd"]})");
}

TEST_CASE("tags: set, changed, paged and removed", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Music", R"(,"Tags":[{"Key":"k0","Value":"first"}])"));
  const std::string arn = R"("ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Music")";
  std::string tags;
  for (int i = 0; i < 12; ++i) {
    tags +=
        (i == 0 ? "" : ",") + std::string(R"({"Key":"k)") + std::to_string(i) + R"(","Value":"v"})";
  }
  const Answer tagged = engine.call("TagResource", "{" + arn + R"(,"Tags":[)" + tags + "]}");
  REQUIRE(tagged.ok);
  CHECK(tagged.json.empty());
  const Answer first = engine.call("ListTagsOfResource", "{" + arn + "}");
  CHECK(first.member("NextToken") == "\"10\"");
  CHECK(first.json.find(R"({"Key":"k0","Value":"v"})") != std::string::npos);
  CHECK(engine.call("ListTagsOfResource", "{" + arn + R"(,"NextToken":"10"})").json ==
        R"({"Tags":[{"Key":"k10","Value":"v"},{"Key":"k11","Value":"v"}]})");
  REQUIRE(engine.call("UntagResource", "{" + arn + R"(,"TagKeys":["k10","absent"]})").ok);
  CHECK(engine.call("ListTagsOfResource", "{" + arn + R"(,"NextToken":"10"})").json ==
        R"({"Tags":[{"Key":"k11","Value":"v"}]})");
  std::string many;
  for (int i = 0; i < 40; ++i) {
    many +=
        (i == 0 ? "" : ",") + std::string(R"({"Key":"m)") + std::to_string(i) + R"(","Value":"v"})";
  }
  CHECK(engine.call("TagResource", "{" + arn + R"(,"Tags":[)" + many + "]}").json ==
        validation("Number of Tags exceed the current limit for the provided ResourceArn"));
  CHECK(engine.call("TagResource", "{" + arn + R"(,"Tags":[{"Key":"aws:x","Value":"v"}]})").json ==
        validation("Tag Key cannot be prefixed with aws:, Key: aws:x"));
}
