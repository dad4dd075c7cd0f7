// Updates: what each type of constant is good for, and what else is known of a parsed update.
// Texts, checks and effects are in tests/cases/protocol/update*.cases.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/expression/legacy/legacy_updates.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"

namespace stator::expr {
namespace {

constexpr std::string_view kPrefix = "Invalid UpdateExpression: ";

constexpr const char* kBody = R"({
  "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "name", "#dot": "x.y"},
  "ExpressionAttributeValues": {
    ":s": {"S": "x"}, ":n": {"N": "1"}, ":b": {"B": "AA=="}, ":t": {"BOOL": true},
    ":z": {"NULL": true}, ":l": {"L": []}, ":m": {"M": {}}, ":ss": {"SS": ["x"]},
    ":ns": {"NS": ["1"]}, ":bs": {"BS": ["AA=="]}}})";

// The message about an update without its prefix, empty if it is fine.
std::string error(std::string_view text) {
  Arena arena;
  std::string body = kBody;
  auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena);
  REQUIRE(placeholders);
  const auto parsed = parse_update(text, *placeholders, Wording{}, arena);
  if (parsed) return {};
  CHECK(parsed.error().code() == ErrorCode::Validation);
  CHECK(parsed.error().message().starts_with(kPrefix));
  return parsed.error().message().substr(kPrefix.size());
}

TEST_CASE("update checks: types of constants", "[protocol][expression]") {
  struct TypeRow {
    std::string_view value;
    std::string_view name;
    std::string_view long_name;
  };
  const TypeRow rows[] = {{":s", "S", "STRING"},       {":n", "N", "NUMBER"},
                          {":b", "B", "BINARY"},       {":t", "BOOL", "BOOLEAN"},
                          {":z", "NULL", "NULL"},      {":l", "L", "LIST"},
                          {":m", "M", "MAP"},          {":ss", "SS", "STRING_SET"},
                          {":ns", "NS", "NUMBER_SET"}, {":bs", "BS", "BINARY_SET"}};
  const auto text = [](std::string_view start, const TypeRow& row, std::string_view end = "") {
    return std::string(start).append(row.value).append(end);
  };
  const auto wrong = [](std::string_view name, const TypeRow& row) {
    return std::string("Incorrect operand type for operator or function; operator or function: ")
        .append(name)
        .append(", operand type: ")
        .append(row.name);
  };
  const auto wrong_section = [](std::string_view name, const TypeRow& row) {
    return std::string("Incorrect operand type for operator or function; operator: ")
        .append(name)
        .append(", operand type: ")
        .append(row.long_name)
        .append(", typeSet: ALLOWED_FOR_")
        .append(name)
        .append("_OPERAND");
  };
  for (const TypeRow& row : rows) {
    CAPTURE(std::string(row.value));
    const bool is_number = row.name == "N";
    const bool is_set = row.name.size() == 2;
    CHECK(error(text("SET a = ", row)).empty());
    CHECK(error(text("SET a = if_not_exists(a, ", row, ")")).empty());
    CHECK(error(text("SET a = b + ", row)) == (is_number ? "" : wrong("+", row)));
    CHECK(error(text("SET a = ", row, " - b")) == (is_number ? "" : wrong("-", row)));
    const std::string append = row.name == "L" ? "" : wrong("list_append", row);
    CHECK(error(text("SET a = list_append(b, ", row, ")")) == append);
    CHECK(error(text("SET a = list_append(", row, ", :l)")) == append);
    CHECK(error(text("ADD a ", row)) == (is_number || is_set ? "" : wrong_section("ADD", row)));
    CHECK(error(text("DELETE a ", row)) == (is_set ? "" : wrong_section("DELETE", row)));
  }
}

TEST_CASE("update checks: placeholders are marked as used", "[protocol][expression]") {
  Arena arena;
  std::string body = R"({
    "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#c": "c", "#d": "d", "#e": "e"},
    "ExpressionAttributeValues": {":a": {"N": "1"}, ":b": {"N": "1"}, ":c": {"SS": ["x"]}}})";
  auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena);
  REQUIRE(placeholders);
  REQUIRE(parse_update("SET #a = if_not_exists(#b, :a) REMOVE #c ADD #d :b", *placeholders,
                       Wording{}, arena));
  REQUIRE_FALSE(placeholders->check_all_used(Wording{}));
  REQUIRE(parse_update("DELETE #e :c", *placeholders, Wording{}, arena));
  CHECK(placeholders->check_all_used(Wording{}));
}

TEST_CASE("update: more AttributeUpdates than are sorted by their paths",
          "[protocol][expression]") {
  constexpr int kCount = 3000;
  Arena arena;
  std::string body = R"({"AttributeUpdates":{)";
  // Names in no order: every third is put, removed or not there.
  for (int i = 0; i < kCount; ++i) {
    const int place = i * 7 % kCount;
    body.append(i == 0 ? "\"n" : ",\"n").append(std::to_string(10'000 + place)).append("\":");
    body.append(place % 3 == 0 ? R"({"Value":{"N":"1"}})" : R"({"Action":"DELETE"})");
  }
  body.append("}}");
  const auto update = read_attribute_updates(*read_json(body, arena), Wording{}, arena);
  REQUIRE(update);
  CHECK((*update)->targets.size() == kCount);
  CHECK((*update)->removes.size() == 2 * kCount / 3);

  std::vector<std::string> names;
  for (int i = 0; i < kCount; ++i) names.push_back("n" + std::to_string(10'000 + i));
  std::vector<Member> before;
  for (std::size_t i = 1; i < kCount; i += 3) before.push_back({names[i], Value::string("x")});
  for (const std::size_t kept : {before.size(), std::size_t{10}}) {
    const Item item(before.data(), kept);
    const auto after = apply_update(**update, item, true, arena);
    REQUIRE(after);
    REQUIRE(after->size() == kCount / 3);
    for (std::size_t i = 0; i < after->size(); ++i) CHECK((*after)[i].name == names[3 * i]);
    CHECK(targeted_part(**update, item, arena).size() == kept);
  }
}

TEST_CASE("update: charge and targets", "[protocol][expression]") {
  Arena arena;
  std::string body = kBody;
  auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena);
  REQUIRE(placeholders);
  const auto parsed = parse_update("REMOVE c, d.e SET #a = :n, b = :n ADD f :n DELETE g :ss",
                                   *placeholders, Wording{}, arena);
  REQUIRE(parsed);
  // :n is 2 bytes, of :ss nothing counts.
  CHECK(update_charge_bytes(**parsed, {}) ==
        3 + 2 * (19 + 1 + 2) + (19 + 1 + 2) + (1 + 1) + (1 + 1 + 4 + 1) + (1 + 1));
  CHECK_FALSE((*parsed)->is_legacy);
  std::string names;
  for (const Path target : (*parsed)->targets) names.append(target.front().name);
  CHECK(names == "cdabfg");
}

}  // namespace
}  // namespace stator::expr
