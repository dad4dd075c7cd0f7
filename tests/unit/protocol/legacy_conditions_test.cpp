// Expected, QueryFilter, ScanFilter, KeyConditions: texts, their order, and what they mean.
#include "protocol/expression/legacy_conditions.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/expression/condition.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

constexpr Wording kEnveloped{Profile::Current, Layer::Enveloped};
constexpr Wording kBare{Profile::Current, Layer::Bare};
constexpr Wording kClassic{Profile::Classic, Layer::Classic};

// A body with one entry for attribute `a`.
std::string entry(std::string_view member, std::string_view text) {
  return "{\"" + std::string(member) + R"(":{"a":)" + std::string(text) + "}}";
}

std::string one_of_expected(std::string_view text) { return entry("Expected", text); }

// The message about the member, empty if it is fine.
std::string message_about(std::string_view member, std::string body, Wording wording) {
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  const auto message = [](const auto& result) {
    if (result) return std::string();
    CHECK(result.error().code() == ErrorCode::Validation);
    return result.error().message();
  };
  if (member == "Expected") return message(read_expected(*node, wording, arena));
  if (member == "KeyConditions") return message(read_key_conditions(*node, wording, arena));
  return message(read_filter(*node, member, wording, arena));
}

// Whether the item meets what `body` expects.
bool is_met(std::string body, std::string item_text) {
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  const auto condition = read_expected(*node, kEnveloped, arena);
  if (!condition) FAIL(condition.error().message());
  REQUIRE(*condition != nullptr);
  const auto item_node = read_json(item_text, arena);
  REQUIRE(item_node);
  const auto item = decode_item(*item_node, kEnveloped, arena);
  REQUIRE(item);
  return matches(**condition, *item);
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST_CASE("legacy conditions: members of an entry of Expected", "[protocol][expression]") {
  constexpr Row kRows[] = {
      {R"({})", "Value must be provided when Exists is null for Attribute: a"},
      {R"({"Exists":true})", "Value must be provided when Exists is true for Attribute: a"},
      {R"({"Exists":false,"Value":{"S":"x"}})",
       "Value cannot be used when Exists is false for Attribute: a"},
      {R"({"Exists":true,"ComparisonOperator":"EQ","Value":{"S":"x"}})",
       "Exists and ComparisonOperator cannot be used together for Attribute: a"},
      {R"({"ComparisonOperator":"EQ","Value":{"S":"x"},"AttributeValueList":[{"S":"x"}]})",
       "Value and AttributeValueList cannot be used together for Attribute: a"},
      {R"({"AttributeValueList":[{"S":"x"}]})",
       "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
      {R"({"Exists":false,"AttributeValueList":[]})",
       "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
      {R"({"ComparisonOperator":"LT"})",
       "Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a"},
      // Two faults: the earlier check speaks.
      {R"({"Exists":false,"ComparisonOperator":"EQ","Value":{"N":"x"},"AttributeValueList":[]})",
       "Exists and ComparisonOperator cannot be used together for Attribute: a"},
      {R"({"Value":{"N":"x"},"AttributeValueList":[]})",
       "Value and AttributeValueList cannot be used together for Attribute: a"},
      {R"({"Exists":false,"Value":{"N":"x"}})",
       "Value cannot be used when Exists is false for Attribute: a"},
  };
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.text));
    const std::string text = std::string(kInvalidParameter).append(row.expected);
    CHECK(message_about("Expected", one_of_expected(row.text), kClassic) == text);
    CHECK(message_about("Expected", one_of_expected(row.text), kEnveloped) ==
          std::string(kOneValidationError) + text);
  }
}

TEST_CASE("legacy conditions: arguments", "[protocol][expression]") {
  constexpr Row kRows[] = {
      {R"({"ComparisonOperator":"EQ","AttributeValueList":[]})",
       "Invalid number of argument(s) for the EQ ComparisonOperator"},
      {R"({"ComparisonOperator":"NE","AttributeValueList":[{"S":"x"},{"S":"y"}]})",
       "Invalid number of argument(s) for the NE ComparisonOperator"},
      {R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"S":"x"}]})",
       "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
      {R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"S":"x"},{"S":"y"},{"S":"z"}]})",
       "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
      {R"({"ComparisonOperator":"IN","AttributeValueList":[]})",
       "Invalid number of argument(s) for the IN ComparisonOperator"},
      {R"({"ComparisonOperator":"NULL","AttributeValueList":[{"S":"x"}]})",
       "Invalid number of argument(s) for the NULL ComparisonOperator"},
      {R"({"ComparisonOperator":"NOT_NULL","AttributeValueList":[{"BOOL":true}]})",
       "Invalid number of argument(s) for the NOT_NULL ComparisonOperator"},
      {R"({"ComparisonOperator":"IN","AttributeValueList":[{"S":"x"},{"N":"1"}]})",
       "AttributeValues inside AttributeValueList must be of same type"},
      {R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"BOOL":true},{"N":"1"}]})",
       "AttributeValues inside AttributeValueList must be of same type"},
      {R"({"ComparisonOperator":"LT","AttributeValueList":[{"BOOL":true}]})",
       "ComparisonOperator LT is not valid for BOOL AttributeValue type"},
      {R"({"ComparisonOperator":"LE","AttributeValueList":[{"L":[]}]})",
       "ComparisonOperator LE is not valid for L AttributeValue type"},
      {R"({"ComparisonOperator":"GT","AttributeValueList":[{"NULL":true}]})",
       "ComparisonOperator GT is not valid for NULL AttributeValue type"},
      {R"({"ComparisonOperator":"GE","AttributeValueList":[{"SS":["x"]}]})",
       "ComparisonOperator GE is not valid for SS AttributeValue type"},
      {R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"M":{}},{"M":{}}]})",
       "ComparisonOperator BETWEEN is not valid for M AttributeValue type"},
      {R"({"ComparisonOperator":"IN","AttributeValueList":[{"BOOL":true}]})",
       "ComparisonOperator IN is not valid for BOOL AttributeValue type"},
      {R"({"ComparisonOperator":"BEGINS_WITH","AttributeValueList":[{"N":"1"}]})",
       "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"},
      {R"({"ComparisonOperator":"CONTAINS","AttributeValueList":[{"NS":["1"]}]})",
       "ComparisonOperator CONTAINS is not valid for NS AttributeValue type"},
      {R"({"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"L":[]}]})",
       "ComparisonOperator NOT_CONTAINS is not valid for L AttributeValue type"},
  };
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.text));
    const std::string text = std::string(kInvalidParameter).append(row.expected);
    CHECK(message_about("Expected", one_of_expected(row.text), kClassic) == text);
    CHECK(message_about("QueryFilter", entry("QueryFilter", row.text), kBare) == text);
    CHECK(message_about("ScanFilter", entry("ScanFilter", row.text), kClassic) == text);
    CHECK(message_about("KeyConditions", entry("KeyConditions", row.text), kBare) == text);
  }
  // Only Expected has another member for an argument.
  CHECK(
      message_about("QueryFilter", entry("QueryFilter", R"({"ComparisonOperator":"EQ"})"), kBare) ==
      "One or more parameter values were invalid: Invalid number of argument(s) for the EQ "
      "ComparisonOperator");
}

TEST_CASE("legacy conditions: texts without the usual beginning", "[protocol][expression]") {
  const std::string reversed =
      R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"10"},{"N":"9"}]})";
  const std::string order =
      "The BETWEEN condition was provided a range where the lower bound is greater than the upper "
      "bound";
  CHECK(message_about("Expected", one_of_expected(reversed), kClassic) == order);
  CHECK(message_about("Expected", one_of_expected(reversed), kEnveloped) ==
        std::string(kOneValidationError) + order);
  CHECK(message_about("KeyConditions", entry("KeyConditions", reversed), kBare) == order);

  const std::string joint =
      "ConditionalOperator can only be used when Filter or Expected has two or more elements";
  for (const char* expected : {R"("Expected":{"a":{"Exists":false}},)", R"("Expected":{},)", "",
                               R"("Expected":{"a":{"Exists":false},"a":{"Exists":false}},)"}) {
    const std::string body = "{" + std::string(expected) + R"("ConditionalOperator":"AND"})";
    CAPTURE(body);
    CHECK(message_about("Expected", body, kClassic) == joint);
    CHECK(message_about("Expected", body, kEnveloped) == std::string(kOneValidationError) + joint);
  }
  // A wrong entry comes before it.
  CHECK(
      message_about("Expected", R"({"Expected":{"a":{}},"ConditionalOperator":"OR"})", kClassic) ==
      "One or more parameter values were invalid: Value must be provided when Exists is null "
      "for Attribute: a");
}

TEST_CASE("legacy conditions: values are checked before their number", "[protocol][expression]") {
  const std::string body =
      one_of_expected(R"({"ComparisonOperator":"EQ","AttributeValueList":[{"S":"x"},{"N":"x"}]})");
  const std::string text = "The parameter cannot be converted to a numeric value: x";
  CHECK(message_about("Expected", body, kClassic) == text);
  CHECK(message_about("Expected", body, kEnveloped) == std::string(kOneValidationError) + text);
  CHECK(
      message_about("ScanFilter",
                    entry("ScanFilter", R"({"ComparisonOperator":"EQ","AttributeValueList":[{}]})"),
                    kClassic) ==
      "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
}

TEST_CASE("legacy conditions: entries in the order of the text, the last of a name",
          "[protocol][expression]") {
  CHECK(message_about("Expected", R"({"Expected":{"b":{"Exists":true},"a":{}}})", kClassic) ==
        "One or more parameter values were invalid: Value must be provided when Exists is true "
        "for Attribute: b");
  CHECK(
      message_about("Expected", R"({"Expected":{"a":{},"b":{},"a":{"Exists":false}}})", kClassic) ==
      "One or more parameter values were invalid: Value must be provided when Exists is null "
      "for Attribute: b");
  CHECK(
      message_about("Expected", R"({"Expected":{"a":{},"a":{"Exists":false}}})", kClassic).empty());
}

TEST_CASE("legacy conditions: nothing is asked of an absent or empty map",
          "[protocol][expression]") {
  for (const char* text : {"{}", R"({"Expected":{}})", R"({"Expected":null})"}) {
    CAPTURE(text);
    std::string body = text;
    Arena arena;
    const auto node = read_json(body, arena);
    REQUIRE(node);
    const auto expected = read_expected(*node, kClassic, arena);
    REQUIRE(expected);
    CHECK(*expected == nullptr);
  }
}

constexpr const char* kItem = R"({
  "s": {"S": "text"}, "n": {"N": "5"}, "b": {"B": "AQI="}, "t": {"BOOL": true},
  "z": {"NULL": true}, "ss": {"SS": ["x", "y"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AQ=="]},
  "l": {"L": [{"S": "x"}, {"N": "1"}]}, "m": {"M": {"k": {"S": "v"}}}, "m.k": {"S": "dotted"}})";

TEST_CASE("legacy conditions: operators on items", "[protocol][expression]") {
  struct Case {
    const char* attribute;
    const char* condition;  // operator and its arguments
    bool is_met;
  };
  constexpr Case kCases[] = {
      {"n", R"("EQ","AttributeValueList":[{"N":"5.0"}])", true},
      {"n", R"("EQ","Value":{"N":"5.0"})", true},
      {"n", R"("EQ","AttributeValueList":[{"S":"5"}])", false},
      {"none", R"("EQ","AttributeValueList":[{"S":"x"}])", false},
      {"ss", R"("EQ","AttributeValueList":[{"SS":["y","x"]}])", true},
      {"ss", R"("EQ","AttributeValueList":[{"SS":["y"]}])", false},
      {"m", R"("EQ","AttributeValueList":[{"M":{"k":{"S":"v"}}}])", true},
      {"m.k", R"("EQ","AttributeValueList":[{"S":"dotted"}])", true},
      {"n", R"("NE","AttributeValueList":[{"N":"5"}])", false},
      {"n", R"("NE","AttributeValueList":[{"S":"5"}])", true},
      {"none", R"("NE","AttributeValueList":[{"S":"x"}])", true},
      {"ns", R"("NE","AttributeValueList":[{"NS":["2.0","1"]}])", false},
      {"n", R"("LT","AttributeValueList":[{"N":"10"}])", true},
      {"n", R"("LT","AttributeValueList":[{"N":"5"}])", false},
      {"n", R"("LE","AttributeValueList":[{"N":"5"}])", true},
      {"n", R"("GT","AttributeValueList":[{"N":"4.9"}])", true},
      {"n", R"("GE","AttributeValueList":[{"N":"5.1"}])", false},
      {"s", R"("GE","AttributeValueList":[{"S":"tex"}])", true},
      {"s", R"("GT","AttributeValueList":[{"N":"1"}])", false},
      {"none", R"("LE","AttributeValueList":[{"N":"5"}])", false},
      {"n", R"("BETWEEN","AttributeValueList":[{"N":"5"},{"N":"5"}])", true},
      {"n", R"("BETWEEN","AttributeValueList":[{"N":"6"},{"N":"10"}])", false},
      {"n", R"("IN","AttributeValueList":[{"N":"4"},{"N":"5"}])", true},
      {"n", R"("IN","AttributeValueList":[{"N":"4"}])", false},
      {"none", R"("IN","AttributeValueList":[{"N":"4"}])", false},
      {"s", R"("BEGINS_WITH","AttributeValueList":[{"S":"te"}])", true},
      {"b", R"("BEGINS_WITH","AttributeValueList":[{"B":"AQ=="}])", true},
      {"n", R"("BEGINS_WITH","AttributeValueList":[{"S":"5"}])", false},
      {"s", R"("CONTAINS","AttributeValueList":[{"S":"ex"}])", true},
      {"s", R"("CONTAINS","AttributeValueList":[{"S":"xe"}])", false},
      {"ss", R"("CONTAINS","AttributeValueList":[{"S":"x"}])", true},
      {"ns", R"("CONTAINS","AttributeValueList":[{"N":"2.0"}])", true},
      {"bs", R"("CONTAINS","AttributeValueList":[{"B":"AQ=="}])", true},
      {"l", R"("CONTAINS","AttributeValueList":[{"N":"1"}])", true},
      {"l", R"("CONTAINS","AttributeValueList":[{"S":"1"}])", false},
      {"none", R"("CONTAINS","AttributeValueList":[{"S":"x"}])", false},
      {"ss", R"("NOT_CONTAINS","AttributeValueList":[{"S":"x"}])", false},
      {"ss", R"("NOT_CONTAINS","AttributeValueList":[{"S":"q"}])", true},
      {"l", R"("NOT_CONTAINS","AttributeValueList":[{"BOOL":true}])", true},
      {"none", R"("NOT_CONTAINS","AttributeValueList":[{"S":"x"}])", false},
      {"none", R"("NULL")", true},
      {"z", R"("NULL")", false},
      {"z", R"("NOT_NULL")", true},
      {"none", R"("NOT_NULL","AttributeValueList":[])", false},
  };
  for (const Case& each : kCases) {
    const std::string body = R"({"Expected":{")" + std::string(each.attribute) +
                             R"(":{"ComparisonOperator":)" + each.condition + "}}}";
    CAPTURE(body);
    CHECK(is_met(body, kItem) == each.is_met);
  }
  CHECK(is_met(R"({"Expected":{"n":{"Value":{"N":"5"}}}})", kItem));
  CHECK_FALSE(is_met(R"({"Expected":{"n":{"Exists":true,"Value":{"N":"6"}}}})", kItem));
  CHECK(is_met(R"({"Expected":{"none":{"Exists":"false"}}})", kItem));
  CHECK_FALSE(is_met(R"({"Expected":{"z":{"Exists":false}}})", kItem));
}

TEST_CASE("legacy conditions: joined by AND unless OR is asked", "[protocol][expression]") {
  const std::string entries =
      R"("Expected":{"n":{"Value":{"N":"5"}},"s":{"Value":{"S":"other"}},"z":{"Exists":false}})";
  CHECK_FALSE(is_met("{" + entries + "}", kItem));
  CHECK_FALSE(is_met("{" + entries + R"(,"ConditionalOperator":"AND"})", kItem));
  CHECK(is_met("{" + entries + R"(,"ConditionalOperator":"OR"})", kItem));
  CHECK_FALSE(is_met("{" + entries + R"(,"ConditionalOperator":"OR"})", R"({"z":{"N":"1"}})"));
}

TEST_CASE("legacy conditions: KeyConditions", "[protocol][expression]") {
  using Operator = KeyCondition::Operator;
  struct Case {
    std::string_view condition;
    Operator op;
  };
  constexpr Case kCases[] = {
      {R"("EQ","AttributeValueList":[{"S":"l"}])", Operator::Equal},
      {R"("LE","AttributeValueList":[{"S":"l"}])", Operator::LessEqual},
      {R"("LT","AttributeValueList":[{"S":"l"}])", Operator::Less},
      {R"("GE","AttributeValueList":[{"S":"l"}])", Operator::GreaterEqual},
      {R"("GT","AttributeValueList":[{"S":"l"}])", Operator::Greater},
      {R"("BETWEEN","AttributeValueList":[{"S":"l"},{"S":"u"}])", Operator::Between},
      {R"("BEGINS_WITH","AttributeValueList":[{"S":"l"}])", Operator::BeginsWith},
      {R"("NE","AttributeValueList":[{"S":"l"}])", Operator::Other},
      {R"("IN","AttributeValueList":[{"S":"l"},{"S":"u"}])", Operator::Other},
      {R"("CONTAINS","AttributeValueList":[{"S":"l"}])", Operator::Other},
      {R"("NOT_CONTAINS","AttributeValueList":[{"S":"l"}])", Operator::Other},
      {R"("NULL")", Operator::Other},
      {R"("NOT_NULL")", Operator::Other},
  };
  for (const Case& each : kCases) {
    std::string body = R"({"KeyConditions":{"sk":{"ComparisonOperator":)" +
                       std::string(each.condition) +
                       R"(},"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}}})";
    CAPTURE(body);
    Arena arena;
    const auto node = read_json(body, arena);
    REQUIRE(node);
    const auto conditions = read_key_conditions(*node, kBare, arena);
    REQUIRE(conditions);
    REQUIRE(conditions->size() == 2);
    const KeyCondition& first = (*conditions)[0];
    CHECK(first.attribute == "sk");
    CHECK(first.op == each.op);
    if (each.op != Operator::Other) CHECK(first.lower == Value::string("l"));
    if (each.op == Operator::Between) CHECK(first.upper == Value::string("u"));
    CHECK((*conditions)[1].attribute == "pk");
    CHECK((*conditions)[1].op == Operator::Equal);
    CHECK((*conditions)[1].lower.type() == Type::N);
  }
}

TEST_CASE("legacy conditions: the number of KeyConditions", "[protocol][expression]") {
  const std::string one = R"("a":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"x"}]})";
  const std::string three = one + R"(,"b":{"ComparisonOperator":"NULL"},)"
                                  R"("c":{"ComparisonOperator":"NULL"})";
  constexpr std::string_view kNumber = "Conditions can be of length 1 or 2 only";
  const auto body = [](std::string_view entries) {
    return R"({"KeyConditions":{)" + std::string(entries) + "}}";
  };
  CHECK(message_about("KeyConditions", body(""), kClassic) == kNumber);
  CHECK(message_about("KeyConditions", body(three), kClassic) == kNumber);
  CHECK(message_about("KeyConditions", body(one), kClassic).empty());
  CHECK(message_about("KeyConditions", "{}", kClassic).empty());
  // Counted against the schema by the caller.
  CHECK(message_about("KeyConditions", body(""), kBare).empty());
  CHECK(message_about("KeyConditions", body(three), kBare).empty());
  // Arguments come first.
  CHECK(message_about("KeyConditions", body(three + R"(,"d":{"ComparisonOperator":"EQ"})"),
                      kClassic) ==
        "One or more parameter values were invalid: Invalid number of argument(s) for the EQ "
        "ComparisonOperator");
}

}  // namespace
}  // namespace stator::expr
