// Key conditions: what they mean, and every refusal that needs no schema, in both wordings.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/expression/key_condition.h"
#include "protocol/json_reader.h"
#include "protocol/number.h"

namespace stator::expr {
namespace {

const Wording kCurrent = Wording::of(Profile::Current, Layer::Bare);
const Wording kClassic = Wording::of(Profile::Classic, Layer::Bare);

constexpr const char* kBody = R"({
  "ExpressionAttributeNames": {"#p": "pk", "#dot": "x.y"},
  "ExpressionAttributeValues": {
    ":s": {"S": "a"}, ":t": {"S": "b"}, ":n": {"N": "1"}, ":o": {"N": "20"}, ":b": {"B": "AA=="},
    ":bool": {"BOOL": true}, ":null": {"NULL": true}, ":l": {"L": []}, ":ss": {"SS": ["a"]}}})";

std::string text_of(const Value& value) {
  std::string out;
  append_value_json(out, value);
  return out;
}

// "pk Equal {"S":"a"}; sk Between … …", or the message about the condition.
std::string read(std::string_view text, Wording wording) {
  constexpr std::string_view kOperators[] = {"Equal",        "Less",    "LessEqual", "Greater",
                                             "GreaterEqual", "Between", "BeginsWith"};
  Arena arena;
  std::string body = kBody;
  auto placeholders = Placeholders::read(*read_json(body, arena), wording, arena);
  REQUIRE(placeholders);
  const auto parsed = parse_key_condition(text, *placeholders, wording, arena);
  if (!parsed) return parsed.error().message();
  const auto conditions = read_key_conditions(**parsed, wording, arena);
  if (!conditions) {
    CHECK(conditions.error().code() == ErrorCode::Validation);
    return conditions.error().message();
  }
  std::string out;
  for (const KeyCondition& condition : *conditions) {
    out.append(out.empty() ? "" : "; ").append(condition.attribute).append(" ");
    out.append(kOperators[static_cast<std::size_t>(condition.op)]).append(" ");
    out.append(text_of(condition.lower));
    if (condition.op == KeyCondition::Operator::Between) {
      out.append(" ").append(text_of(condition.upper));
    }
  }
  return out;
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST_CASE("key condition: meaning", "[protocol][expression]") {
  const Row rows[] = {
      {"pk = :s", R"(pk Equal {"S":"a"})"},
      {"#p = :s", R"(pk Equal {"S":"a"})"},
      {"#dot = :s", R"(x.y Equal {"S":"a"})"},
      {":s = pk", R"(pk Equal {"S":"a"})"},
      {"sk < :n", R"(sk Less {"N":"1"})"},
      {"sk <= :n", R"(sk LessEqual {"N":"1"})"},
      {"sk > :n", R"(sk Greater {"N":"1"})"},
      {"sk >= :b", R"(sk GreaterEqual {"B":"AA=="})"},
      {":n < sk", R"(sk Greater {"N":"1"})"},
      {":n <= sk", R"(sk GreaterEqual {"N":"1"})"},
      {":n > sk", R"(sk Less {"N":"1"})"},
      {":n >= sk", R"(sk LessEqual {"N":"1"})"},
      {"sk BETWEEN :n AND :o", R"(sk Between {"N":"1"} {"N":"20"})"},
      {"sk BETWEEN :n AND :n", R"(sk Between {"N":"1"} {"N":"1"})"},
      {"begins_with(sk, :t)", R"(sk BeginsWith {"S":"b"})"},
      {"begins_with(sk, :b)", R"(sk BeginsWith {"B":"AA=="})"},
      {"sk > :n AND pk = :s", R"(sk Greater {"N":"1"}; pk Equal {"S":"a"})"},
      {"(pk = :s) AND (begins_with(sk, :t))", R"(pk Equal {"S":"a"}; sk BeginsWith {"S":"b"})"},
      {"(pk = (:s) AND sk = :t)", R"(pk Equal {"S":"a"}; sk Equal {"S":"b"})"},
      // Types of keys are the schema's business.
      {"pk = :bool", R"(pk Equal {"BOOL":true})"},
      {"pk = :l", R"(pk Equal {"L":[]})"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(read(row.text, kCurrent) == row.expected);
    CHECK(read(row.text, kClassic) == row.expected);
  }
}

TEST_CASE("key condition: refusals of any condition", "[protocol][expression]") {
  const Row rows[] = {
      {"", "The expression can not be empty;"},
      {"pk = = :s", R"(Syntax error; token: "=", near: "= = :s")"},
      {"((pk = :s))", "The expression has redundant parentheses;"},
      {"matches(pk, :s)", "Invalid function name; function: matches"},
      {"name = :s", "Attribute name is a reserved keyword; reserved keyword: name"},
      {"#q = :s",
       "An expression attribute name used in the document path is not defined; attribute name: #q"},
      {"pk = :q",
       "An expression attribute value used in expression is not defined; attribute value: :q"},
      {"pk = :s AND sk BETWEEN :n AND :s",
       "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
       "operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"},
      {"pk = :s AND sk BETWEEN :o AND :n",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
       "lower bound operand: AttributeValue: {N:20}, upper bound operand: AttributeValue: {N:1}"},
      {"begins_with(sk, :n)",
       "Incorrect operand type for operator or function; operator or function: begins_with, "
       "operand type: N"},
      {"pk = pk",
       "The first operand must be distinct from the remaining operands for this operator or "
       "function; operator: =, first operand: [pk]"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const std::string expected =
        std::string("Invalid KeyConditionExpression: ").append(row.expected);
    CHECK(read(row.text, kCurrent) == expected);
    CHECK(read(row.text, kClassic) == expected);
  }
}

TEST_CASE("key condition: what is no key condition", "[protocol][expression]") {
  constexpr std::string_view kOneEach =
      "KeyConditionExpressions must only contain one condition per key";
  constexpr std::string_view kNestedPath =
      "KeyConditionExpressions cannot have conditions on nested attributes";
  constexpr std::string_view kNestedCall =
      "KeyConditionExpressions cannot contain nested operations";
  constexpr std::string_view kTwoPaths =
      "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
  constexpr std::string_view kNoPath =
      "Invalid condition in KeyConditionExpression: No key attribute specified";
  constexpr std::string_view kBetween =
      "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute "
      "as its first operand";
  constexpr std::string_view kBegins =
      "Invalid condition in KeyConditionExpression: begins_with operator must have the key "
      "attribute as its first operand";
  const Row rows[] = {
      {"pk = :s AND pk = :t", kOneEach},
      {"pk = :s AND #p > :t", kOneEach},
      {"pk = :s AND sk > :n AND sk < :o", kOneEach},
      {"pk.x = :s", kNestedPath},
      {"pk = :s AND begins_with(sk[0], :s)", kNestedPath},
      {":n BETWEEN a.b AND :n", kNestedPath},
      {"pk = :s AND size(sk) = :n", kNestedCall},
      {"sk BETWEEN :n AND size(pk)", kNestedCall},
      {"pk = sk", kTwoPaths},
      {"sk BETWEEN pk AND :n", kTwoPaths},
      {"begins_with(pk, sk)", kTwoPaths},
      {":s = :t", kNoPath},
      {":n BETWEEN :n AND :o", kNoPath},
      {"begins_with(:s, :s)", kNoPath},
      {"pk = :s AND :n BETWEEN sk AND :o", kBetween},
      {"pk = :s AND begins_with(:s, sk)", kBegins},
      {"pk = :s OR sk = :s", "Invalid operator used in KeyConditionExpression: OR"},
      {"pk = :s AND (sk = :s OR sk = :t)", "Invalid operator used in KeyConditionExpression: OR"},
      {"NOT pk = :s", "Invalid operator used in KeyConditionExpression: NOT"},
      {"pk IN (:s)", "Invalid operator used in KeyConditionExpression: IN"},
      {"pk <> :s", "Invalid operator used in KeyConditionExpression: <>"},
      {"contains(pk, :s)", "Invalid operator used in KeyConditionExpression: contains"},
      {"attribute_exists(pk)", "Invalid operator used in KeyConditionExpression: attribute_exists"},
      {"attribute_not_exists(pk)",
       "Invalid operator used in KeyConditionExpression: attribute_not_exists"},
      // The first condition with a problem is reported.
      {"pk.x = :s AND sk <> :s", kNestedPath},
      {"sk <> :s AND pk.x = :s", "Invalid operator used in KeyConditionExpression: <>"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(read(row.text, kClassic) == row.expected);
    CHECK(read(row.text, kCurrent) ==
          std::string("Invalid KeyConditionExpression: ").append(row.expected));
  }
}

TEST_CASE("key condition: constants without an order", "[protocol][expression]") {
  struct TypeRow {
    std::string_view text;
    std::string_view current;  // operator or function, operand type
    std::string_view classic;
  };
  const TypeRow rows[] = {
      {"pk = :s AND sk < :bool", "<, operand type: BOOL", "LT is not valid for BOOL"},
      {"sk <= :null", "<=, operand type: NULL", "LE is not valid for NULL"},
      {"sk > :l", ">, operand type: L", "GT is not valid for L"},
      {"sk >= :ss", ">=, operand type: SS", "GE is not valid for SS"},
      {"sk BETWEEN :bool AND :bool", "BETWEEN, operand type: BOOL",
       "BETWEEN is not valid for BOOL"},
      {"sk BETWEEN :n AND :ss", "BETWEEN, operand type: SS", "BETWEEN is not valid for SS"},
  };
  for (const TypeRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(read(row.text, kCurrent) ==
          std::string("Invalid KeyConditionExpression: Incorrect operand type for operator or "
                      "function; operator or function: ")
              .append(row.current));
    CHECK(read(row.text, kClassic) ==
          std::string("One or more parameter values were invalid: ComparisonOperator ")
              .append(row.classic)
              .append(" AttributeValue type"));
  }
}

TEST_CASE("key condition: how many", "[protocol][expression]") {
  const std::string_view three = "pk = :s AND sk = :t AND hue = :n";
  CHECK(read(three, kCurrent) == R"(pk Equal {"S":"a"}; sk Equal {"S":"b"}; hue Equal {"N":"1"})");
  CHECK(read(three, kClassic) == "Conditions can be of length 1 or 2 only");
  // Counted last.
  CHECK(read("pk = :s AND sk = :t AND hue < :l", kClassic) ==
        "One or more parameter values were invalid: ComparisonOperator LT is not valid for L "
        "AttributeValue type");
  CHECK(read("pk = :s AND sk < :l AND pk = :n", kClassic) ==
        "KeyConditionExpressions must only contain one condition per key");
}

}  // namespace
}  // namespace stator::expr
