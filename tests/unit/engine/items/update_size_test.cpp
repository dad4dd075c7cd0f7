// Updates that would make far more than an item: refused for their size, at the cost of measuring.
#include <string>

#include <catch2/catch.hpp>

#include "protocol/expression/updates/update.h"
#include "tests/unit/engine/harness/engine_driver.h"

using namespace stator;

namespace {

constexpr std::size_t kElements = 150'000;

// One item whose attribute `l` is a list of many elements and `s` a set.
struct Store : test::EngineDriver {
  Store() {
    call("CreateTable", R"({"TableName":"store","BillingMode":"PAY_PER_REQUEST",)"
                        R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
    std::string list;
    for (std::size_t i = 0; i < kElements; ++i) list += R"({"S":""},)";
    list.pop_back();
    put = call("PutItem", R"({"TableName":"store","Item":{"pk":{"S":"x"},"n":{"N":"1"},)"
                          R"("s":{"SS":["a","b"]},"l":{"L":[)" +
                              list + "]}}}");
  }
  test::Answer update(const std::string& expression, const std::string& rest = "") {
    const test::Answer answer =
        call("UpdateItem", R"({"TableName":"store","Key":{"pk":{"S":"x"}},"UpdateExpression":")" +
                               expression + "\"" + rest + "}");
    return answer;
  }
  test::Answer put;
};

std::string many(const std::string& what, int count) {
  std::string text = "SET ";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "b" : ",b") + std::to_string(i) + "=" + what;
  return text;
}

const std::string kTooLarge = R"("message":")" + expr::update_too_large().message() + "\"";

}  // namespace

TEST_CASE("update size: lists appended to themselves many times are refused unbuilt",
          "[update_size]") {
  Store store;
  REQUIRE(store.put.ok);
  for (const std::string& expression :
       {many("list_append(l,l)", 150), many("l", 200),
        many("list_append(if_not_exists(x,l),if_not_exists(x,l))", 60)}) {
    const test::Answer answer = store.update(expression);
    CHECK_FALSE(answer.ok);
    CHECK(answer.json.find(kTooLarge) != std::string::npos);
  }
  CHECK(store.update("SET b = list_append(l,l) REMOVE l").ok);
}

TEST_CASE("update size: other errors of the update still come before its size", "[update_size]") {
  Store store;
  const std::string large = many("list_append(l,l)", 50);
  CHECK(store.update(large + ", c = n + s").json.find("incorrect data type") != std::string::npos);
  CHECK(store.update(large + ", c = nowhere").json.find("does not exist") != std::string::npos);
  CHECK(store.update(large + ", n.x = n").json.find("document path") != std::string::npos);
  CHECK(store.update(large + ", c = list_append(s,l)").json.find("incorrect data type") !=
        std::string::npos);
}

TEST_CASE("update size: a condition that fails comes before the size", "[update_size]") {
  Store store;
  const std::string failing =
      R"(,"ConditionExpression":"n = :v","ExpressionAttributeValues":{":v":{"N":"2"}})";
  const test::Answer answer = store.update(many("list_append(l,l)", 100), failing);
  CHECK(answer.json.find("ConditionalCheckFailedException") != std::string::npos);
  // It costs what the stored item does: what the update would make is no item.
  CHECK(answer.units_milli == 147'000);
}

TEST_CASE("update size: a large set is taken from many small ones", "[update_size]") {
  Store store;
  std::string set;
  for (int i = 0; i < 50'000; ++i) set += "\"" + std::to_string(i) + "\",";
  set += "\"a\"";
  const std::string value = R"(,"ExpressionAttributeValues":{":v":{"SS":[)" + set + "]}}";
  REQUIRE(store.update("REMOVE l").ok);
  REQUIRE(store.update(many("s", 100)).ok);
  std::string erase = "DELETE s :v";
  for (int i = 0; i < 100; ++i) erase += ",b" + std::to_string(i) + " :v";
  const test::Answer answer = store.update(erase, R"(,"ReturnValues":"ALL_NEW")" + value);
  REQUIRE(answer.ok);
  CHECK(answer.json.find(R"("b99":{"SS":["b"]})") != std::string::npos);
  CHECK(answer.json.find("\"a\"") == std::string::npos);
}

TEST_CASE("update size: names of attributes count, other errors and the condition come before",
          "[update_size]") {
  Store store;
  const auto update = [&](int names, const std::string& rest, const std::string& members = "") {
    std::string updates;
    for (int i = 0; i < names; ++i)
      updates += "\"" + std::string(250, 'a') + std::to_string(i) + R"(":{"Value":{"S":""}},)";
    return store.call("UpdateItem", R"({"TableName":"store","Key":{"pk":{"S":"x"}},)"
                                    R"("AttributeUpdates":{)" +
                                        updates + rest + "}" + members + "}");
  };
  const std::string one_more = R"("n":{"Action":"ADD","Value":{"N":"1"}})";
  const std::string mismatch = R"("n":{"Action":"ADD","Value":{"SS":["1"]}})";
  const std::string failing = R"(,"Expected":{"n":{"Value":{"N":"7"}}})";
  CHECK(update(2000, one_more).json.find(kTooLarge) != std::string::npos);
  CHECK(update(2000, mismatch).json.find("Type mismatch") != std::string::npos);
  CHECK(update(2000, one_more, failing).json.find("ConditionalCheckFailed") != std::string::npos);
  // The item is 150 KB before.
  CHECK(update(1200, one_more).json.find(kTooLarge) != std::string::npos);
  CHECK(update(900, one_more).ok);
}
