// Which actions on which resources requests on streams need.
#include <chrono>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "streams/operations.h"
#include "tests/unit/engine/operations/touched_accesses.h"
#include "tests/unit/streams/stream_harness.h"

using namespace stator;
using namespace stator::test;

TEST_CASE("access: every operation on streams says what its request needs", "[streams]") {
  const std::string stream = "table/Songs/stream/2026-01-01T00:00:00.000";
  const std::string arn = std::string(kHomeArn).append(stream);
  const std::string shard = "shardId-00000000000000000001-00000001";
  check_actions(
      {stream_operations()},
      {{"ListStreams", "{}", "ListStreams table/*"},
       {"ListStreams", R"({"TableName":"Songs"})", "ListStreams table/*"},
       {"DescribeStream", R"({"StreamArn":")" + arn + R"("})", "DescribeStream " + stream},
       {"GetShardIterator",
        R"({"StreamArn":")" + arn + R"(","ShardId":")" + shard +
            R"(","ShardIteratorType":"LATEST"})",
        "GetShardIterator " + stream},
       {"GetRecords", R"({"ShardIterator":")" + arn + R"(|1|AAAA"})", "GetRecords " + stream}});
}

TEST_CASE("access: a stream has the tags of its table, and a policy of its own", "[streams]") {
  StreamHarness harness;
  const std::string arn = harness.make_table();
  const std::string table = arn.substr(0, arn.find("/stream/"));
  const auto attach = [&](const std::string& to, const std::string& action) {
    std::string policy = R"({\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",)";
    policy.append(R"(\"Principal\":{\"AWS\":\"000000000000\"},\"Action\":\"dynamodb:)");
    policy.append(action).append(R"(\",\"Resource\":\")").append(to).append(R"(\"}})");
    harness.ok("PutResourcePolicy",
               R"({"ResourceArn":")" + to + R"(","Policy":")" + policy + "\"}");
  };
  harness.clock().advance(std::chrono::seconds(5));
  attach(table, "GetItem");
  attach(arn, "GetRecords");
  harness.ok("TagResource",
             R"({"ResourceArn":")" + table + R"(","Tags":[{"Key":"team","Value":"a"}]})");
  const OperationTable operations(all_families());
  const auto of = [&](std::string_view operation, const std::string& body) {
    return accesses_of(harness, operation_of(operations, operation), body).front();
  };
  const TouchedAccess stream = of("DescribeStream", R"({"StreamArn":")" + arn + R"("})");
  CHECK(stream.table_arn == table);
  REQUIRE(stream.resource_tags.size() == 1);
  CHECK(stream.resource_tags.front().first == "team");
  CHECK(stream.resource_policy.find("GetRecords") != std::string::npos);
  const TouchedAccess of_table = of("DescribeTable", R"({"TableName":"Things"})");
  CHECK(of_table.resource_policy.find("GetItem") != std::string::npos);
  // An earlier stream of the table has no policy.
  const TouchedAccess other =
      of("DescribeStream", R"({"StreamArn":")" + table + R"(/stream/2025-01-01T00:00:00.000"})");
  CHECK(other.resource_policy.empty());
}
