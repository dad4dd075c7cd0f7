// Placeholders as a request looks them up, and when it may have some; what they refuse and report
// as unused is in tests/cases/protocol/projections.cases.
#include <string>

#include <catch2/catch.hpp>

#include "protocol/expression/resolution/placeholders.h"
#include "protocol/json/json_reader.h"

namespace stator::expr {
namespace {

const Wording kEnveloped = Wording::of(Profile::Current, Layer::Enveloped);
const Wording kClassic = Wording::of(Profile::Classic, Layer::Enveloped);

TEST_CASE("placeholders: the last of equal keys counts", "[protocol][expression]") {
  Arena arena;
  std::string body = R"({"ExpressionAttributeNames": {"#a": "first", "#b": "x", "#a": "last"},
                         "ExpressionAttributeValues": {":v": {"S": "1"}, ":v": {"N": "1"}}})";
  auto placeholders = Placeholders::read(*read_json(body, arena), kEnveloped, arena);
  REQUIRE(placeholders);
  REQUIRE(placeholders->find_name("#a") != nullptr);
  CHECK(*placeholders->find_name("#a") == "last");
  REQUIRE(placeholders->find_value(":v") != nullptr);
  CHECK(placeholders->find_value(":v")->type() == Type::N);
  CHECK(placeholders->find_name("#c") == nullptr);
  CHECK(placeholders->find_name("a") == nullptr);
  CHECK(placeholders->find_value("#a") == nullptr);
  CHECK(placeholders->check_all_used(kEnveloped).error().message() ==
        "1 validation error detected: Value provided in ExpressionAttributeNames unused in "
        "expressions: keys: {#b}");
}

TEST_CASE("placeholders: only with expressions", "[protocol][expression]") {
  struct Row {
    const char* body;
    bool has_expression;
    const char* without_values;
    const char* current;
    const char* classic;
  };
  constexpr const char* kNames =
      "ExpressionAttributeNames can only be specified when using expressions";
  const Row rows[] = {
      {R"({"ExpressionAttributeNames":{},"ExpressionAttributeValues":{}})", false,
       "ConditionExpression is null", kNames, kNames},
      {R"({"ExpressionAttributeNames":{},"ExpressionAttributeValues":{}})", true,
       "ConditionExpression is null",
       "ExpressionAttributeValues can only be specified when using expressions",
       "ExpressionAttributeValues can only be specified when using expressions: "
       "ConditionExpression is null"},
      {R"({"ExpressionAttributeNames":{},"ExpressionAttributeValues":{}})", true, "", "", ""},
      {R"({"ExpressionAttributeNames":null})", false, "ConditionExpression is null", "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    Arena arena;
    std::string body = row.body;
    const JsonNode node = *read_json(body, arena);
    const auto check = [&](Wording wording) {
      const auto checked =
          Placeholders::check_wanted(node, row.has_expression, row.without_values, wording);
      return checked ? std::string() : checked.error().message();
    };
    CHECK(check(kEnveloped) ==
          (*row.current != '\0' ? std::string(kOneValidationError) + row.current : ""));
    CHECK(check(kClassic) == row.classic);
  }
}

}  // namespace
}  // namespace stator::expr
