// AttributeUpdates and AttributesToGet: texts, and what they mean.
#include "protocol/expression/legacy_updates.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/expression/legacy_projection.h"
#include "protocol/expression/update.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

constexpr Wording kEnveloped{Profile::Current, Layer::Enveloped};
constexpr Wording kClassic{Profile::Classic, Layer::Classic};

std::string updates(std::string_view entries) {
  return R"({"AttributeUpdates":{)" + std::string(entries) + "}}";
}

std::string message_about(std::string body, Wording wording) {
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  const auto read = read_attribute_updates(*node, wording, arena);
  return read ? std::string() : read.error().message();
}

// The item after the update as JSON, or the message of the refusal.
std::string updated(std::string_view entries, std::string item_text, bool exists = true) {
  Arena arena;
  std::string body = updates(entries);
  const auto node = read_json(body, arena);
  REQUIRE(node);
  const auto update = read_attribute_updates(*node, kEnveloped, arena);
  if (!update) FAIL(update.error().message());
  REQUIRE((*update)->is_legacy);
  const auto item_node = read_json(item_text, arena);
  REQUIRE(item_node);
  const auto item = decode_item(*item_node, kEnveloped, arena);
  REQUIRE(item);
  const auto after = apply_update(**update, *item, exists, arena);
  if (!after) return after.error().message();
  std::string json;
  append_item_json(json, *after);
  return json;
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST_CASE("legacy updates: actions and types", "[protocol][expression]") {
  constexpr Row kRows[] = {
      {R"({})", "Only DELETE action is allowed when no attribute value is specified"},
      {R"({"Action":"PUT"})", "Only DELETE action is allowed when no attribute value is specified"},
      {R"({"Action":"ADD"})", "Only DELETE action is allowed when no attribute value is specified"},
      {R"({"Action":"DELETE","Value":{"S":"x"}})",
       "DELETE action with value is not supported for the type S"},
      {R"({"Action":"DELETE","Value":{"N":"1"}})",
       "DELETE action with value is not supported for the type N"},
      {R"({"Action":"DELETE","Value":{"L":[]}})",
       "DELETE action with value is not supported for the type L"},
      {R"({"Action":"ADD","Value":{"S":"x"}})", "ADD action is not supported for the type S"},
      {R"({"Action":"ADD","Value":{"B":"AQ=="}})", "ADD action is not supported for the type B"},
      {R"({"Action":"ADD","Value":{"BOOL":true}})",
       "ADD action is not supported for the type BOOL"},
      {R"({"Action":"ADD","Value":{"NULL":true}})",
       "ADD action is not supported for the type NULL"},
      {R"({"Action":"ADD","Value":{"M":{}}})", "ADD action is not supported for the type M"},
  };
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.text));
    const std::string body = updates(R"("a":)" + std::string(row.text));
    const std::string text = std::string(kInvalidParameter).append(row.expected);
    CHECK(message_about(body, kClassic) == text);
    CHECK(message_about(body, kEnveloped) == std::string(kOneValidationError) + text);
  }
  for (const char* fine :
       {R"({"Action":"DELETE"})", R"({"Action":"DELETE","Value":{"NS":["1"]}})",
        R"({"Action":"ADD","Value":{"L":[]}})", R"({"Action":"ADD","Value":{"BS":["AQ=="]}})",
        R"({"Value":{"M":{}}})", R"({"Action":"PUT","Value":{"NULL":true}})"}) {
    CAPTURE(fine);
    CHECK(message_about(updates(R"("a":)" + std::string(fine)), kClassic).empty());
  }
}

TEST_CASE("legacy updates: values, names, the order of entries", "[protocol][expression]") {
  CHECK(message_about(updates(R"("a":{"Action":"DELETE","Value":{"N":"x"}})"), kClassic) ==
        "The parameter cannot be converted to a numeric value: x");
  CHECK(message_about(updates(R"("":{"Value":{"N":"1"}})"), kClassic) == "Empty attribute name");
  CHECK(message_about(updates(R"("b":{"Action":"ADD","Value":{"S":"x"}},"a":{})"), kClassic) ==
        "One or more parameter values were invalid: ADD action is not supported for the type S");
  // Of a repeated name the last one counts.
  CHECK(updated(R"("a":{"Action":"ADD"},"a":{"Value":{"S":"new"}})", R"({"a":{"S":"old"}})") ==
        R"({"a":{"S":"new"}})");
}

TEST_CASE("legacy updates: an absent member is no update", "[protocol][expression]") {
  Arena arena;
  std::string body = "{}";
  const auto node = read_json(body, arena);
  REQUIRE(node);
  const auto read = read_attribute_updates(*node, kClassic, arena);
  REQUIRE(read);
  CHECK(*read == nullptr);
}

TEST_CASE("legacy updates: what they do", "[protocol][expression]") {
  constexpr const char* kItem =
      R"({"l":{"L":[{"S":"x"}]},"m":{"M":{"k":{"S":"v"}}},"n":{"N":"5"},"ss":{"SS":["x","y"]}})";
  struct Case {
    const char* entries;
    const char* after;
  };
  constexpr Case kCases[] = {
      {R"("n":{"Value":{"S":"new"}},"ss":{"Action":"DELETE"},"l":{"Action":"DELETE"})",
       R"({"m":{"M":{"k":{"S":"v"}}},"n":{"S":"new"}})"},
      {R"("n":{"Action":"ADD","Value":{"N":"-1.5"}},"ss":{"Action":"ADD","Value":{"SS":["z","x"]}})",
       R"({"l":{"L":[{"S":"x"}]},"m":{"M":{"k":{"S":"v"}}},"n":{"N":"3.5"},"ss":{"SS":["x","y","z"]}})"},
      {R"("l":{"Action":"ADD","Value":{"L":[{"N":"1"}]}},"m":{"Action":"DELETE"},"n":{"Action":"DELETE"},"ss":{"Action":"DELETE","Value":{"SS":["x","q"]}})",
       R"({"l":{"L":[{"S":"x"},{"N":"1"}]},"ss":{"SS":["y"]}})"},
      {R"("ss":{"Action":"DELETE","Value":{"SS":["x","y"]}},"m":{"Action":"DELETE"},"l":{"Action":"DELETE"})",
       R"({"n":{"N":"5"}})"},
      // A dot is part of the name.
      {R"("m.k":{"Value":{"S":"flat"}},"l":{"Action":"DELETE"},"n":{"Action":"DELETE"},"ss":{"Action":"DELETE"})",
       R"({"m":{"M":{"k":{"S":"v"}}},"m.k":{"S":"flat"}})"},
  };
  for (const Case& each : kCases) {
    CAPTURE(each.entries);
    CHECK(updated(each.entries, kItem) == each.after);
  }
  // ADD starts from nothing; DELETE leaves nothing behind.
  CHECK(updated(R"("n":{"Action":"ADD","Value":{"N":"2"}},"l":{"Action":"ADD","Value":{"L":[]}},)"
                R"("ss":{"Action":"DELETE","Value":{"SS":["x"]}},"q":{"Action":"DELETE"})",
                R"({"pk":{"S":"a"}})",
                /*exists=*/false) == R"({"l":{"L":[]},"n":{"N":"2"},"pk":{"S":"a"}})");
}

TEST_CASE("legacy updates: another stored type has a text of its own", "[protocol][expression]") {
  constexpr const char* kItem =
      R"({"n":{"N":"5"},"ns":{"NS":["1"]},"s":{"S":"x"},"ss":{"SS":["x"]}})";
  for (const char* entries : {
           R"("s":{"Action":"ADD","Value":{"N":"1"}})",
           R"("ss":{"Action":"ADD","Value":{"NS":["1"]}})",
           R"("ns":{"Action":"ADD","Value":{"N":"1"}})",
           R"("n":{"Action":"ADD","Value":{"L":[]}})",
           R"("ss":{"Action":"DELETE","Value":{"NS":["1"]}})",
           R"("n":{"Action":"DELETE","Value":{"NS":["5"]}})",
       }) {
    CAPTURE(entries);
    CHECK(updated(entries, kItem) == "Type mismatch for attribute to update");
  }
}

TEST_CASE("legacy projection: AttributesToGet", "[protocol][expression]") {
  const auto selected = [](std::string body) -> std::string {
    Arena arena;
    const auto node = read_json(body, arena);
    REQUIRE(node);
    const auto projection = read_attributes_to_get(*node, arena);
    if (!projection) return projection.error().message();
    if (*projection == nullptr) return "all";
    std::string item_text = R"({"a":{"N":"1"},"b":{"M":{"c":{"N":"2"}}},"b.c":{"N":"3"}})";
    const auto item_node = read_json(item_text, arena);
    REQUIRE(item_node);
    const auto item = decode_item(*item_node, kClassic, arena);
    REQUIRE(item);
    std::string json;
    append_item_json(json, project(**projection, *item, arena));
    return json;
  };
  CHECK(selected("{}") == "all");
  CHECK(selected(R"({"AttributesToGet":["b.c","a","none"]})") ==
        R"({"a":{"N":"1"},"b.c":{"N":"3"}})");
  CHECK(selected(R"({"AttributesToGet":["none"]})") == "{}");
  CHECK(selected(R"({"AttributesToGet":["b","a","b","a"]})") ==
        "One or more parameter values were invalid: Duplicate value in attribute name: b");
}

}  // namespace
}  // namespace stator::expr
