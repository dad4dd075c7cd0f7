// Updates of attributes that are keys of indexes: among a hundred others they are found as alone.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_driver.h"

using namespace stator;

namespace {

struct Store : test::EngineDriver {
  Store() {
    call("CreateTable",
         R"({"TableName":"store","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)"
         R"({"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"k","AttributeType":"S"},)"
         R"({"AttributeName":"n","AttributeType":"N"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[)"
         R"({"IndexName":"index","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},)"
         R"({"AttributeName":"n","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]})");
  }
  std::string updated(const std::string& parameters) {
    call("PutItem", R"({"TableName":"store","Item":{"pk":{"S":"x"},"k":{"S":"y"}}})");
    return call("UpdateItem", R"({"TableName":"store","Key":{"pk":{"S":"x"}},)" + parameters + "}")
        .json;
  }
};

std::string attribute_updates(const std::string& of_key, int others) {
  std::string text = R"("AttributeUpdates":{)";
  for (int i = 0; i < others; ++i) {
    text += R"("a)" + std::to_string(i) + R"(":{"Value":{"S":""}},)";
    if (i == others / 2 && !of_key.empty()) text += of_key + ",";
  }
  return text + (others == 0 ? of_key : R"("z":{"Action":"DELETE"})") + "}";
}

}  // namespace

TEST_CASE("index key updates: an error among many is the one alone", "[update]") {
  Store store;
  const std::vector<std::string> wrong = {
      R"("k":{"Value":{"N":"1"}})",
      R"("k":{"Value":{"S":""}})",
      R"("k":{"Action":"ADD","Value":{"N":"1"}})",
      R"("n":{"Action":"PUT","Value":{"S":"1"}})",
      R"("n":{"Action":"DELETE","Value":{"SS":["1"]}})",
      R"("k":{"Value":{"S":")" + std::string(2'049, 'k') + R"("}})",
  };
  for (const std::string& each : wrong) {
    CAPTURE(each);
    const std::string alone = store.updated(attribute_updates(each, 0));
    CHECK(alone.find("ValidationException") != std::string::npos);
    CHECK(store.updated(attribute_updates(each, 100)) == alone);
  }
}

TEST_CASE("index key updates: what is right among many is right", "[update]") {
  Store store;
  for (const std::string each : {"", R"("k":{"Value":{"S":"other"}})", R"("k":{"Action":"DELETE"})",
                                 R"("n":{"Action":"ADD","Value":{"N":"1"}})"}) {
    CAPTURE(each);
    CHECK(store.updated(attribute_updates(each, 100)) == "{}");
  }
  std::string expression =
      R"("ExpressionAttributeValues":{":v":{"N":"1"}},"UpdateExpression":"SET )";
  for (int i = 0; i < 100; ++i) expression += "a" + std::to_string(i) + "=:v,";
  CHECK(store.updated(expression + R"(n=:v")") == "{}");
  CHECK(store.updated(expression + R"(k=:v")").find("Type mismatch for Index Key k") !=
        std::string::npos);
}
