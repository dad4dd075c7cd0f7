// Projections: overlaps and conflicts, what is selected. Placeholders: what is refused and what is
// reported as unused.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/expression/condition.h"
#include "protocol/expression/placeholders.h"
#include "protocol/expression/projection.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

// The message about the expressions of a request, empty if they are fine.
std::string error_of(std::string body, Wording wording) {
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  auto placeholders = Placeholders::read(*node, wording, arena);
  if (!placeholders) return placeholders.error().message();
  if (const JsonNode* text = node->find("ConditionExpression")) {
    const auto parsed =
        parse_condition(text->text(), "ConditionExpression", *placeholders, wording, arena);
    if (!parsed) return parsed.error().message();
  }
  if (const JsonNode* text = node->find("ProjectionExpression")) {
    const auto parsed = parse_projection(text->text(), *placeholders, wording, arena);
    if (!parsed) return parsed.error().message();
  }
  const auto used = placeholders->check_all_used(wording);
  return used ? std::string() : used.error().message();
}

const Wording kEnveloped = Wording::of(Profile::Current, Layer::Enveloped);
const Wording kBare = Wording::of(Profile::Current, Layer::Bare);
const Wording kClassic = Wording::of(Profile::Classic, Layer::Enveloped);

std::string projected(std::string_view text, std::string item_text) {
  Arena arena;
  std::string body = R"({"ExpressionAttributeNames": {"#a": "a", "#dot": "x.y", "#n": "name"}})";
  auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena);
  REQUIRE(placeholders);
  const auto parsed = parse_projection(text, *placeholders, kBare, arena);
  if (!parsed) return parsed.error().message();
  const auto item = decode_item(*read_json(item_text, arena), Wording{}, arena);
  REQUIRE(item);
  std::string out;
  append_item_json(out, project(**parsed, *item, arena));
  return out;
}

constexpr const char* kItem = R"({
  "a": {"S": "1"}, "b": {"L": [{"N": "0"}, {"N": "1"}, {"L": [{"N": "20"}, {"N": "21"}]}]},
  "c": {"M": {"d": {"S": "2"}, "e": {"M": {"f": {"S": "3"}, "g": {"S": "4"}}}, "h": {"M": {}}}},
  "name": {"BOOL": true}, "x.y": {"S": "5"}, "s": {"SS": ["p", "q"]}})";

TEST_CASE("projection: selects and rebuilds", "[protocol][expression]") {
  struct Row {
    const char* text;
    const char* expected;
  };
  const Row rows[] = {
      {"a", R"({"a":{"S":"1"}})"},
      {"#n, a", R"({"a":{"S":"1"},"name":{"BOOL":true}})"},
      {"#dot", R"({"x.y":{"S":"5"}})"},
      {"x.y", "{}"},
      {"gone", "{}"},
      {"gone, s", R"({"s":{"SS":["p","q"]}})"},
      {"c.d", R"({"c":{"M":{"d":{"S":"2"}}}})"},
      {"c.e.g, c.d", R"({"c":{"M":{"d":{"S":"2"},"e":{"M":{"g":{"S":"4"}}}}}})"},
      {"c.e.g, c.e.f", R"({"c":{"M":{"e":{"M":{"f":{"S":"3"},"g":{"S":"4"}}}}}})"},
      {"c.h", R"({"c":{"M":{"h":{"M":{}}}}})"},
      {"c.h.i, c.gone", "{}"},
      {"b[1]", R"({"b":{"L":[{"N":"1"}]}})"},
      {"b[1], b[0]", R"({"b":{"L":[{"N":"0"},{"N":"1"}]}})"},
      {"b[2][1], b[0]", R"({"b":{"L":[{"N":"0"},{"L":[{"N":"21"}]}]}})"},
      {"b[2][7], b[3], b[1]", R"({"b":{"L":[{"N":"1"}]}})"},
      {"b[2147483647]", "{}"},
      // A step that does not fit the value
      {"a.b, c[0], b.c, s[0]", "{}"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(projected(row.text, kItem) == row.expected);
  }
  CHECK(projected("a, b[0], c.d", "{}") == "{}");
}

TEST_CASE("projection: overlaps and conflicts", "[protocol][expression]") {
  struct Row {
    const char* text;
    const char* paths;
  };
  const Row overlaps[] = {
      {"a, a", "[a], path two: [a]"},
      {"hue, a.b, #a", "[a, b], path two: [a]"},
      {"a, b, a[1]", "[a], path two: [a, [1]]"},
      {"a[1].b, a[01]", "[a, [1], b], path two: [a, [1]]"},
      {"b, c.#dot, c.#dot.d", "[c, x.y], path two: [c, x.y, d]"},
      {"a.b, a[0], z, z", "[z], path two: [z]"},  // overlaps before conflicts
  };
  for (const Row& row : overlaps) {
    CAPTURE(row.text);
    CHECK(projected(row.text, "{}") ==
          std::string("Invalid ProjectionExpression: Two document paths overlap with each other; "
                      "must remove or rewrite one of these paths; path one: ")
              .append(row.paths));
  }
  const Row conflicts[] = {
      {"a.b, a[1]", "[a, b], path two: [a, [1]]"},
      {"a[1].c, b, #a.b[0]", "[a, [1], c], path two: [a, b, [0]]"},
      {"c.z[0].b, c.y, c.z.b", "[c, z, [0], b], path two: [c, z, b]"},
  };
  for (const Row& row : conflicts) {
    CAPTURE(row.text);
    CHECK(projected(row.text, "{}") ==
          std::string("Invalid ProjectionExpression: Two document paths conflict with each other; "
                      "must remove or rewrite one of these paths; path one: ")
              .append(row.paths));
  }
  for (const char* text : {"a.b, a.c", "a[0], a[1]", "a.b.c, a.bc", "a.b[0].c, a.b[1].c, a.c.d"}) {
    CAPTURE(text);
    CHECK(projected(text, "{}") == "{}");
  }
}

TEST_CASE("projection: reserved words before undefined names", "[protocol][expression]") {
  CHECK(projected("#q, name", "{}") ==
        "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: "
        "name");
  CHECK(projected("a, a, #q", "{}") ==
        "Invalid ProjectionExpression: An expression attribute name used in the document path is "
        "not defined; attribute name: #q");
}

TEST_CASE("placeholders: refused maps, keys and values", "[protocol][expression]") {
  struct Row {
    const char* body;
    const char* text;     // behind the envelope, where there is one
    const char* classic;  // or nullptr
    bool is_enveloped;
  };
  const Row rows[] = {
      {R"({"ExpressionAttributeNames":{}})", "ExpressionAttributeNames must not be empty", nullptr,
       true},
      {R"({"ExpressionAttributeValues":{}})", "ExpressionAttributeValues must not be empty",
       nullptr, true},
      {R"({"ExpressionAttributeNames":{"#a":"b","a":"b","#":"c"}})",
       R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "a")", nullptr, true},
      {R"({"ExpressionAttributeNames":{"#":"b"}})",
       R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#")", nullptr, true},
      {R"({"ExpressionAttributeNames":{"#a-b":"b"}})",
       R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b")", nullptr,
       true},
      {R"({"ExpressionAttributeNames":{":a":"b"}})",
       R"(ExpressionAttributeNames contains invalid key: Syntax error; key: ":a")", nullptr, true},
      {R"({"ExpressionAttributeNames":{"#a":""}})",
       "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a", nullptr,
       true},
      {R"({"ExpressionAttributeValues":{":a":{"N":"x"},"a":{"S":"b"}}})",
       R"(ExpressionAttributeValues contains invalid key: Syntax error; key: "a")", nullptr, true},
      {R"({"ExpressionAttributeValues":{":a":{"N":"x"}}})",
       "The parameter cannot be converted to a numeric value: x",
       "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a "
       "numeric value: x for key :a",
       true},
      {R"({"ExpressionAttributeValues":{":ok":{"S":""},":k":{}}})",
       "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
       "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must "
       "contain exactly one of the supported datatypes for key :k",
       false},
      {R"({"ExpressionAttributeNames":{},"ExpressionAttributeValues":{}})",
       "ExpressionAttributeNames must not be empty", nullptr, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    const std::string prefix(row.is_enveloped ? kOneValidationError : "");
    CHECK(error_of(row.body, kEnveloped) == prefix + row.text);
    CHECK(error_of(row.body, kBare) == row.text);
    CHECK(error_of(row.body, kClassic) == (row.classic != nullptr ? row.classic : row.text));
  }
}

TEST_CASE("placeholders: unused ones, names first, in the order of the request",
          "[protocol][expression]") {
  const char* const body = R"({"ConditionExpression": "#b = :b AND c = :b",
    "ExpressionAttributeNames": {"#z": "z", "#b": "b", "#a": "a"},
    "ExpressionAttributeValues": {":z": {"S": "z"}, ":b": {"S": "b"}}})";
  CHECK(error_of(body, kEnveloped) ==
        "1 validation error detected: Value provided in ExpressionAttributeNames unused in "
        "expressions: keys: {#z, #a}");
  CHECK(error_of(R"({"ConditionExpression": "#b = :b", "ProjectionExpression": "#z.x",
                     "ExpressionAttributeNames": {"#z": "z", "#b": "b"},
                     "ExpressionAttributeValues": {":z": {"S": "z"}, ":b": {"S": "b"}}})",
                 kClassic) ==
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:z}");
  CHECK(error_of(R"({"ConditionExpression": "#b = :b", "ProjectionExpression": "#z",
                     "ExpressionAttributeNames": {"#z": "z", "#b": "b"},
                     "ExpressionAttributeValues": {":b": {"S": "b"}}})",
                 kEnveloped) == "");
  // Part of a longer name is not a use.
  CHECK(error_of(R"({"ProjectionExpression": "#ab",
                     "ExpressionAttributeNames": {"#a": "x", "#ab": "y"}})",
                 kBare) ==
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}");
}

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
