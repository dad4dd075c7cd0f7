// The answers to refused requests, as they stand on the wire.
#include "engine/capacity/throttling_error.h"

#include <array>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace stator;
using namespace stator::capacity;

namespace {

constexpr std::string_view kTable = "arn:aws:dynamodb:eu-west-2:123456789012:table/T";
constexpr std::string_view kIndex = "arn:aws:dynamodb:eu-west-2:123456789012:table/T/index/G";

ThrottledResource throttled(bool is_index, Dimension dimension, Limit limit, bool is_on_demand) {
  return {{is_index, dimension, limit}, is_on_demand, std::string(is_index ? kIndex : kTable)};
}

std::string render(const ThrottledResource& resource,
                   IndexErrors index_errors = IndexErrors::ByCause) {
  return throttling_error({&resource, 1}, index_errors).render();
}

std::string name_of(const ThrottledResource& resource, IndexErrors index_errors) {
  return std::string(error_info(throttling_error({&resource, 1}, index_errors).code()).name);
}

}  // namespace

TEST_CASE("throttling errors: a provisioned table and its index", "[capacity]") {
  const std::array both = {throttled(false, Dimension::Write, Limit::ProvisionedThroughput, false),
                           throttled(true, Dimension::Write, Limit::ProvisionedThroughput, false)};
  CHECK(throttling_error(both).render() ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",)"
        R"("message":"The level of configured provisioned throughput for the table was exceeded. )"
        R"(Consider increasing your provisioning level with the UpdateTable API.",)"
        R"("ThrottlingReasons":[{"reason":"TableWriteProvisionedThroughputExceeded",)"
        R"("resource":"arn:aws:dynamodb:eu-west-2:123456789012:table/T"},)"
        R"({"reason":"IndexWriteProvisionedThroughputExceeded",)"
        R"("resource":"arn:aws:dynamodb:eu-west-2:123456789012:table/T/index/G"}]})");
  CHECK(throttling_error({&both[1], 1}).message() ==
        "The level of configured provisioned throughput for one or more global secondary indexes "
        "of the table was exceeded. Consider increasing your provisioning level for the "
        "under-provisioned global secondary indexes with the UpdateTable API");
}

TEST_CASE("throttling errors: on demand", "[capacity]") {
  CHECK(render(throttled(false, Dimension::Read, Limit::KeyRangeThroughput, true)) ==
        R"({"__type":"com.amazon.coral.availability#ThrottlingException",)"
        R"("message":"Throughput exceeds the current capacity of your table or index. DynamoDB is )"
        R"(automatically scaling your table or index so please try again shortly. If exceptions )"
        R"(persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/)"
        R"(latest/developerguide/bp-partition-key-design.html",)"
        R"("throttlingReasons":[{"reason":"TableReadKeyRangeThroughputExceeded",)"
        R"("resource":"arn:aws:dynamodb:eu-west-2:123456789012:table/T"}]})");
  const auto text = [](bool is_index, Dimension dimension, Limit limit) {
    const ThrottledResource resource = throttled(is_index, dimension, limit, true);
    return throttling_error({&resource, 1}).message();
  };
  CHECK(text(true, Dimension::Write, Limit::KeyRangeThroughput) ==
        "Throughput exceeds the current capacity for one or more global secondary indexes. "
        "DynamoDB is automatically scaling your index so please try again shortly.");
  CHECK(text(true, Dimension::Read, Limit::KeyRangeThroughput) ==
        text(false, Dimension::Write, Limit::KeyRangeThroughput));
  CHECK(text(false, Dimension::Write, Limit::MaxOnDemandThroughput) ==
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
  CHECK(text(false, Dimension::Write, Limit::Account) ==
        "Throughput exceeds the current throughput limit for your account. To request a limit "
        "increase, contact AWS Support at https://aws.amazon.com/support.");
}

TEST_CASE("throttling errors: the exception goes by cause and mode", "[capacity]") {
  const auto name = [](bool is_index, Limit limit, bool is_on_demand,
                       IndexErrors index_errors = IndexErrors::ByCause) {
    return name_of(throttled(is_index, Dimension::Write, limit, is_on_demand), index_errors);
  };
  CHECK(name(false, Limit::KeyRangeThroughput, false) == "ProvisionedThroughputExceededException");
  CHECK(name(true, Limit::KeyRangeThroughput, false) == "ProvisionedThroughputExceededException");
  CHECK(name(true, Limit::KeyRangeThroughput, true) == "ThrottlingException");
  CHECK(name(true, Limit::Account, true) == "RequestLimitExceeded");
  for (const Limit limit : {Limit::KeyRangeThroughput, Limit::Account}) {
    CHECK(name(true, limit, false, IndexErrors::AlwaysThrottling) == "ThrottlingException");
  }
  CHECK(name(true, Limit::ProvisionedThroughput, false, IndexErrors::AlwaysThrottling) ==
        "ProvisionedThroughputExceededException");
  CHECK(name(false, Limit::Account, true, IndexErrors::AlwaysThrottling) == "RequestLimitExceeded");
}

TEST_CASE("throttling errors: all sixteen reasons are told apart", "[capacity]") {
  std::set<std::string> rendered;
  for (const bool is_index : {false, true}) {
    for (const Dimension dimension : {Dimension::Read, Dimension::Write}) {
      for (const Limit limit : {Limit::ProvisionedThroughput, Limit::MaxOnDemandThroughput,
                                Limit::Account, Limit::KeyRangeThroughput}) {
        rendered.insert(render(throttled(is_index, dimension, limit, true)));
      }
    }
  }
  CHECK(rendered.size() == 16);
}
