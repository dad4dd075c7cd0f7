#include "server/templates/plan/update_steps.h"

#include <catch2/catch.hpp>

namespace stator::templates {
namespace {

TableState table() {
  TableState state;
  state.arn = "arn";
  state.shape.name = "T";
  state.shape.keys = {{"pk", "S", false}};
  state.shape.is_on_demand = true;
  return state;
}

IndexShape index_on(const std::string& attribute) { return {{{attribute, "S", false}}, "ALL"}; }

// "Operation body", one per line.
std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) text.append(step.operation).append(" ").append(step.body) += '\n';
  return text;
}

}  // namespace

TEST_CASE("update steps: nothing to do", "[server]") {
  const TableState there = table();
  CHECK(update_steps(there.shape, there).empty());
}

TEST_CASE("update steps: one kind of change in each, in the allowed order", "[server]") {
  TableState there = table();
  there.shape.global_indexes["old"] = index_on("a");
  there.shape.global_indexes["same"] = index_on("b");
  there.shape.tags = {{"gone", "1"}, {"new", "0"}};
  TableShape wanted = table().shape;
  wanted.is_on_demand = false;
  wanted.throughput = {5, 6};
  wanted.global_indexes["same"] = index_on("b");
  wanted.global_indexes["same"].throughput = {1, 2};
  wanted.global_indexes["made"] = index_on("c");
  wanted.global_indexes["made"].throughput = {3, 4};
  wanted.stream = "NEW_IMAGE";
  wanted.table_class = "STANDARD_INFREQUENT_ACCESS";
  wanted.is_protected = true;
  wanted.ttl_attribute = "t";
  wanted.tags = {{"new", "1"}};
  CHECK(
      text_of(update_steps(wanted, there)) ==
      R"(UpdateTable {"TableName":"T","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"old"}}]})"
      "\n"
      R"(UpdateTable {"TableName":"T","BillingMode":"PROVISIONED",)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},)"
      R"("GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"same",)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}}}]})"
      "\n"
      R"(UpdateTable {"TableName":"T","StreamSpecification":{"StreamEnabled":true,)"
      R"("StreamViewType":"NEW_IMAGE"}})"
      "\n"
      R"(UpdateTable {"TableName":"T","TableClass":"STANDARD_INFREQUENT_ACCESS"})"
      "\n"
      R"(UpdateTable {"TableName":"T","DeletionProtectionEnabled":true})"
      "\n"
      R"(UpdateTable {"TableName":"T","AttributeDefinitions":[{"AttributeName":"c",)"
      R"("AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"made",)"
      R"("KeySchema":[{"AttributeName":"c","KeyType":"HASH"}],)"
      R"("Projection":{"ProjectionType":"ALL"},)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}}]})"
      "\n"
      R"(UpdateTimeToLive {"TableName":"T","TimeToLiveSpecification":{"AttributeName":"t",)"
      R"("Enabled":true}})"
      "\n"
      R"(UntagResource {"ResourceArn":"arn","TagKeys":["gone"]})"
      "\n"
      R"(TagResource {"ResourceArn":"arn","Tags":[{"Key":"new","Value":"1"}]})"
      "\n");
}

TEST_CASE("update steps: what cannot change in place goes off first", "[server]") {
  TableState there = table();
  there.shape.stream = "KEYS_ONLY";
  there.shape.ttl_attribute = "a";
  there.shape.global_indexes["g"] = index_on("a");
  TableShape wanted = there.shape;
  wanted.stream = "NEW_IMAGE";
  wanted.ttl_attribute = "b";
  wanted.global_indexes["g"] = index_on("b");
  const std::vector<Step> steps = update_steps(wanted, there);
  REQUIRE(steps.size() == 6);
  CHECK(steps[0].body.find("Delete") != std::string::npos);
  CHECK(steps[1].body.find(R"("StreamEnabled":false)") != std::string::npos);
  CHECK(steps[2].body.find("NEW_IMAGE") != std::string::npos);
  CHECK(steps[3].body.find("Create") != std::string::npos);
  CHECK(steps[4].body.find(R"("AttributeName":"a","Enabled":false)") != std::string::npos);
  CHECK(steps[4].wait == Step::Wait::TimeToLive);
  CHECK(steps[5].body.find(R"("AttributeName":"b","Enabled":true)") != std::string::npos);
}

TEST_CASE("update steps: throughput alone, of an index alone, limits", "[server]") {
  TableState there = table();
  there.shape.is_on_demand = false;
  there.shape.throughput = {1, 1};
  there.shape.global_indexes["g"] = index_on("a");
  there.shape.global_indexes["g"].throughput = {1, 1};
  TableShape wanted = there.shape;
  wanted.global_indexes["g"].throughput = {2, 1};
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(UpdateTable {"TableName":"T","GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"g",)"
        R"("ProvisionedThroughput":{"ReadCapacityUnits":2,"WriteCapacityUnits":1}}}]})"
        "\n");
  wanted = there.shape;
  wanted.throughput = {9, 1};
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(UpdateTable {"TableName":"T","ProvisionedThroughput":{"ReadCapacityUnits":9,)"
        R"("WriteCapacityUnits":1}})"
        "\n");
  wanted = there.shape;
  wanted.is_on_demand = true;
  wanted.throughput = {};
  wanted.global_indexes["g"].throughput = {};
  wanted.limit = {10, 20};
  wanted.global_indexes["g"].limit = {7, -1};
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(UpdateTable {"TableName":"T","BillingMode":"PAY_PER_REQUEST",)"
        R"("OnDemandThroughput":{"MaxReadRequestUnits":10,"MaxWriteRequestUnits":20}})"
        "\n"
        R"(UpdateTable {"TableName":"T","GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"g",)"
        R"("OnDemandThroughput":{"MaxReadRequestUnits":7,"MaxWriteRequestUnits":-1}}}]})"
        "\n");
}

TEST_CASE("update steps: after CreateTable only what it cannot say", "[server]") {
  TableShape wanted = table().shape;
  wanted.stream = "NEW_IMAGE";
  wanted.tags = {{"a", "b"}};
  wanted.policy = "{}";
  CHECK(steps_after_create(wanted).empty());
  wanted.ttl_attribute = "t";
  wanted.recovery = DesiredRecovery{true, 7};
  const std::vector<Step> steps = steps_after_create(wanted);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].operation == "UpdateTimeToLive");
  CHECK(steps[1].body ==
        R"({"TableName":"T","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,)"
        R"("RecoveryPeriodInDays":7}})");
}

TEST_CASE("update steps: contributor insights come last", "[server]") {
  TableState there = table();
  there.shape.recovery = DesiredRecovery{};
  there.shape.global_indexes["g"] = index_on("a");
  there.shape.insights = {{"", {true, "THROTTLED_KEYS"}}, {"g", {}}};
  TableShape wanted = there.shape;
  wanted.recovery = DesiredRecovery{true, {}};
  wanted.insights = {{"", {}}, {"g", {true, "THROTTLED_KEYS"}}};
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(UpdateContinuousBackups {"TableName":"T","PointInTimeRecoverySpecification":{)"
        R"("PointInTimeRecoveryEnabled":true}})"
        "\n"
        R"(UpdateContributorInsights {"TableName":"T","ContributorInsightsAction":"DISABLE"})"
        "\n"
        R"(UpdateContributorInsights {"TableName":"T","IndexName":"g",)"
        R"("ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"THROTTLED_KEYS"})"
        "\n");
}

TEST_CASE("update steps: an index that is built anew loses its insights", "[server]") {
  TableState there = table();
  there.shape.global_indexes["g"] = index_on("a");
  there.shape.insights = {{"", {true, ""}}, {"g", {true, ""}}};
  TableShape wanted = there.shape;
  CHECK(update_steps(wanted, there).empty());
  wanted.global_indexes["g"] = index_on("b");
  std::vector<Step> steps = update_steps(wanted, there);
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].operation == "UpdateTable");
  CHECK(steps[2].body ==
        R"({"TableName":"T","IndexName":"g","ContributorInsightsAction":"ENABLE"})");
  wanted.insights["g"].is_enabled = false;
  steps = update_steps(wanted, there);
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].operation == "UpdateTable");
}

TEST_CASE("update steps: contributor insights of a new table", "[server]") {
  TableShape wanted = table().shape;
  wanted.global_indexes["g"] = index_on("a");
  wanted.global_indexes["h"] = index_on("b");
  wanted.insights = {{"", {true, ""}}, {"g", {true, ""}}, {"h", {}}};
  CHECK(text_of(steps_after_create(wanted)) ==
        R"(UpdateContributorInsights {"TableName":"T","ContributorInsightsAction":"ENABLE"})"
        "\n"
        R"(UpdateContributorInsights {"TableName":"T","IndexName":"g",)"
        R"("ContributorInsightsAction":"ENABLE"})"
        "\n");
}

TEST_CASE("update steps: another Kinesis stream takes the place of the old one", "[server]") {
  TableState there = table();
  there.shape.kinesis = DesiredKinesis{"old", "MILLISECOND"};
  TableShape wanted = table().shape;
  wanted.kinesis = DesiredKinesis{"new", "MICROSECOND"};
  const std::string enable =
      R"(EnableKinesisStreamingDestination {"TableName":"T","StreamArn":"new",)"
      R"("EnableKinesisStreamingConfiguration":)"
      R"({"ApproximateCreationDateTimePrecision":"MICROSECOND"}})"
      "\n";
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(DisableKinesisStreamingDestination {"TableName":"T","StreamArn":"old"})"
        "\n" +
            enable);
  CHECK(text_of(steps_after_create(wanted)) == enable);
  there.shape.kinesis->stream_arn = "new";
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(UpdateKinesisStreamingDestination {"TableName":"T","StreamArn":"new",)"
        R"("UpdateKinesisStreamingConfiguration":)"
        R"({"ApproximateCreationDateTimePrecision":"MICROSECOND"}})"
        "\n");
  wanted.kinesis->precision.clear();
  CHECK(update_steps(wanted, there).empty());
  wanted.kinesis->stream_arn.clear();
  CHECK(text_of(update_steps(wanted, there)) ==
        R"(DisableKinesisStreamingDestination {"TableName":"T","StreamArn":"new"})"
        "\n");
}

TEST_CASE("update steps: what an endpoint does not know is not sent", "[server]") {
  TableState there = table();
  there.knows_tags = false;
  there.knows_ttl = false;
  TableShape wanted = there.shape;
  wanted.tags = {{"a", "b"}};
  wanted.ttl_attribute = "t";
  wanted.recovery = DesiredRecovery{true, {}};
  wanted.insights[""] = {true, {}};
  wanted.kinesis = DesiredKinesis{"arn", {}};
  CHECK(update_steps(wanted, there).empty());
}

}  // namespace stator::templates
