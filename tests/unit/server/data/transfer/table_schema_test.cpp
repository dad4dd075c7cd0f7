#include "server/data/transfer/table_schema.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator::data {
namespace {

std::string create_body(const std::string& text) {
  const auto schema = parse_schema(text, "t");
  return schema ? schema->create_body : schema.error();
}

}  // namespace

TEST_CASE("table schema: limits of -1 are none", "[server]") {
  const std::string input = R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
                            R"("BillingMode":"PAY_PER_REQUEST")";
  const auto index = [](const std::string& more) {
    return R"(,"GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[],"Projection":{})" + more +
           "}]";
  };
  const std::string none =
      R"(,"OnDemandThroughput":{"MaxReadRequestUnits":-1,"MaxWriteRequestUnits":-1})";
  const std::string half =
      R"(,"OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":-1})";
  const std::string read = R"(,"OnDemandThroughput":{"MaxReadRequestUnits":5})";
  const std::string begin = R"({"TableName":"t",)" + input;
  CHECK(create_body("{" + input + none + index(none) + "}") == begin + index("") + "}");
  CHECK(create_body("{" + input + half + index(half) + "}") == begin + read + index(read) + "}");
  CHECK(create_body("{" + input + read + "}") == begin + read + "}");
  const std::string described =
      R"({"Table":{"TableName":"t","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
      R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"})";
  CHECK(create_body(described + none + index(none) + "}}") == begin + index("") + "}");
  CHECK(create_body(described + half + index(half) + "}}") == begin + read + index(read) + "}");
}

}  // namespace stator::data
