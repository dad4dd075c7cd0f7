// Updates applied to items: what every action does, on lists, maps and nested targets, what it
// reads, and what the stored data forbids.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/expression/update.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

constexpr const char* kBody = R"({
  "ExpressionAttributeNames": {"#dot": "x.y"},
  "ExpressionAttributeValues": {
    ":s": {"S": "x"}, ":t": {"S": "y"}, ":u": {"S": "z"}, ":n": {"N": "2"}, ":neg": {"N": "-7"},
    ":half": {"N": "0.5"}, ":tiny": {"N": "1e-130"}, ":small": {"N": "1.1e-130"},
    ":max": {"N": "9.9999999999999999999999999999999999999e125"},
    ":d38": {"N": "12345678901234567890123456789012345678"},
    ":l": {"L": [{"S": "p"}, {"S": "q"}]}, ":e": {"L": []}, ":m": {"M": {"k": {"S": "v"}}},
    ":ss": {"SS": ["a", "c"]}, ":ns": {"NS": ["1", "2.50"]}, ":bs": {"BS": ["AQ=="]}}})";

constexpr std::string_view kInvalidPath =
    "The document path provided in the update expression is invalid for update";
constexpr std::string_view kMissing =
    "The provided expression refers to an attribute that does not exist in the item";
constexpr std::string_view kWrongType =
    "An operand in the update expression has an incorrect data type";
constexpr std::string_view kTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit";

// A request's placeholders and an item.
struct Fixture {
  explicit Fixture(std::string_view item_json, bool item_exists = true)
      : item_text(item_json), exists(item_exists) {
    auto read = Placeholders::read(*read_json(body, arena), Wording{}, arena);
    REQUIRE(read);
    placeholders = *read;
    const auto decoded = decode_item(*read_json(item_text, arena), Wording{}, arena);
    REQUIRE(decoded);
    item = *decoded;
  }

  const Update& parse(std::string_view text) {
    const auto parsed = parse_update(text, placeholders, Wording{}, arena);
    REQUIRE(parsed);
    return **parsed;
  }

  std::string apply(const Update& update) {
    const auto after = apply_update(update, item, exists, arena);
    if (!after) {
      CHECK(after.error().code() == ErrorCode::Validation);
      return after.error().message();
    }
    return json(*after);
  }

  static std::string json(Item item) {
    std::string out;
    append_item_json(out, item);
    return out;
  }

  Arena arena;
  std::string body = kBody;
  std::string item_text;
  bool exists;
  Placeholders placeholders;
  Item item;
};

// The item after the update as JSON, or the message of the error.
std::string updated(std::string_view item, std::string_view text) {
  Fixture fixture(item);
  return fixture.apply(fixture.parse(text));
}

// The same for an item that does not exist.
std::string inserted(std::string_view text) {
  Fixture fixture(R"({"pk": {"S": "key"}})", false);
  return fixture.apply(fixture.parse(text));
}

struct Row {
  std::string_view item;
  std::string_view text;
  std::string_view expected;
};

void check(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(std::string(row.item), std::string(row.text));
    CHECK(updated(row.item, row.text) == row.expected);
  }
}

TEST_CASE("update: SET", "[protocol][expression]") {
  const Row rows[] = {
      {R"({"b":{"S":"1"}})", "SET a = :s, c = :n",
       R"({"a":{"S":"x"},"b":{"S":"1"},"c":{"N":"2"}})"},
      {R"({"b":{"S":"1"}})", "SET b = :n", R"({"b":{"N":"2"}})"},
      {R"({"b":{"S":"1"}})", "SET b = b", R"({"b":{"S":"1"}})"},
      {R"({"b":{"S":"1"}})", "SET #dot = b", R"({"b":{"S":"1"},"x.y":{"S":"1"}})"},
      {R"({"b":{"M":{"c":{"L":[{"N":"1"},{"N":"2"}]}}}})", "SET a = b.c[1]",
       R"({"a":{"N":"2"},"b":{"M":{"c":{"L":[{"N":"1"},{"N":"2"}]}}}})"},
      {R"({"b":{"S":"1"}})", "SET a = c", kMissing},
      {R"({"b":{"S":"1"}})", "SET a = b.c", kMissing},
      {R"({"b":{"L":[]}})", "SET a = b[0]", kMissing},
      // Operands see the item as it was.
      {R"({"a":{"S":"1"},"b":{"S":"2"}})", "SET a = b, b = a", R"({"a":{"S":"2"},"b":{"S":"1"}})"},
      {R"({"a":{"S":"1"}})", "SET b = a REMOVE a", R"({"b":{"S":"1"}})"},
      {R"({"a":{"S":"1"}})", "SET b = :s, c = b", kMissing},
      {R"({"a":{"N":"1"}})", "SET b = a + :n ADD a :n", R"({"a":{"N":"3"},"b":{"N":"3"}})"},
  };
  check(rows);
}

TEST_CASE("update: arithmetic is exact", "[protocol][expression]") {
  constexpr std::string_view kOverflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  constexpr std::string_view kUnderflow =
      "Number underflow. Attempting to store a number with magnitude smaller than supported range";
  const Row rows[] = {
      {R"({"a":{"N":"1"}})", "SET a = a + :n", R"({"a":{"N":"3"}})"},
      {R"({"a":{"N":"1"}})", "SET a = a - :n", R"({"a":{"N":"-1"}})"},
      {R"({"a":{"N":"1"}})", "SET a = :half - a", R"({"a":{"N":"-0.5"}})"},
      {R"({"a":{"N":"7"}})", "SET a = a + :neg", R"({"a":{"N":"0"}})"},
      {R"({"a":{"N":"7"}})", "SET a = a + a", R"({"a":{"N":"14"}})"},
      {R"({"a":{"N":"7"}})", "SET b = :n - a", R"({"a":{"N":"7"},"b":{"N":"-5"}})"},
      {R"({"a":{"N":"1"}})", "SET a = a + :d38",
       R"({"a":{"N":"12345678901234567890123456789012345679"}})"},
      {R"({"a":{"N":"0.1"}})", "SET a = a + :d38", kOverflow},
      {R"({"a":{"N":"9e125"}})", "SET a = a + :max", kOverflow},
      {R"({"a":{"N":"-9e125"}})", "SET a = a - :max", kOverflow},
      {R"({"a":{"N":"9e125"}})", "ADD a :max", kOverflow},
      {R"({"a":{"N":"1e-130"}})", "SET a = :small - a", kUnderflow},
      {R"({"a":{"N":"1e-130"}})", "SET a = a - :tiny", R"({"a":{"N":"0"}})"},
      {R"({"a":{"S":"1"}})", "SET a = a + :n", kWrongType},
      {R"({"a":{"NS":["1"]}})", "SET a = :n - a", kWrongType},
      {R"({"a":{"N":"1"}})", "SET a = b + :n", kMissing},
      {R"({"a":{"N":"1"}})", "SET a = list_append(:l, :l) + :n", kWrongType},
  };
  check(rows);
}

TEST_CASE("update: functions", "[protocol][expression]") {
  const Row rows[] = {
      {R"({"a":{"NULL":true}})", "SET a = if_not_exists(a, :n)", R"({"a":{"NULL":true}})"},
      {R"({"a":{"N":"1"}})", "SET b = if_not_exists(a, c)", R"({"a":{"N":"1"},"b":{"N":"1"}})"},
      {R"({})", "SET b = if_not_exists(a, :n)", R"({"b":{"N":"2"}})"},
      {R"({})", "SET b = if_not_exists(a, if_not_exists(c.d, :n)) + :half", R"({"b":{"N":"2.5"}})"},
      {R"({})", "SET b = if_not_exists(a, c)", kMissing},
      {R"({"a":{"L":[{"N":"1"}]}})", "SET a = list_append(a, :l)",
       R"({"a":{"L":[{"N":"1"},{"S":"p"},{"S":"q"}]}})"},
      {R"({"a":{"L":[{"N":"1"}]}})", "SET a = list_append(:l, a)",
       R"({"a":{"L":[{"S":"p"},{"S":"q"},{"N":"1"}]}})"},
      {R"({"a":{"L":[]}})", "SET a = list_append(a, a), b = list_append(:l, :e)",
       R"({"a":{"L":[]},"b":{"L":[{"S":"p"},{"S":"q"}]}})"},
      {R"({})", "SET a = list_append(if_not_exists(a, :e), :l)",
       R"({"a":{"L":[{"S":"p"},{"S":"q"}]}})"},
      {R"({"a":{"SS":["1"]}})", "SET a = list_append(a, :l)", kWrongType},
      {R"({})", "SET a = list_append(:l, a)", kMissing},
  };
  check(rows);
}

TEST_CASE("update: lists", "[protocol][expression]") {
  constexpr std::string_view kList =
      R"({"a":{"L":[{"N":"0"},{"N":"1"},{"N":"2"},{"N":"3"},{"N":"4"}]}})";
  const Row rows[] = {
      {kList, "SET a[1] = :s",
       R"({"a":{"L":[{"N":"0"},{"S":"x"},{"N":"2"},{"N":"3"},{"N":"4"}]}})"},
      {kList, "SET a[5] = :s",
       R"({"a":{"L":[{"N":"0"},{"N":"1"},{"N":"2"},{"N":"3"},{"N":"4"},{"S":"x"}]}})"},
      {kList, "SET a[2147483647] = :s, a[7] = :t, a[30] = :u, a[0] = :n",
       R"({"a":{"L":[{"N":"2"},{"N":"1"},{"N":"2"},{"N":"3"},{"N":"4"},{"S":"y"},{"S":"z"},{"S":"x"}]}})"},
      {kList, "REMOVE a[1], a[3]", R"({"a":{"L":[{"N":"0"},{"N":"2"},{"N":"4"}]}})"},
      {kList, "REMOVE a[0], a[1], a[2], a[3], a[4], a[5]", R"({"a":{"L":[]}})"},
      {kList, "REMOVE a[17]", kList},
      {kList, "REMOVE a[1] SET a[3] = :s",
       R"({"a":{"L":[{"N":"0"},{"N":"2"},{"S":"x"},{"N":"4"}]}})"},
      {kList, "SET a[9] = :s, a[3] = :t REMOVE a[4], a[0]",
       R"({"a":{"L":[{"N":"1"},{"N":"2"},{"S":"y"},{"S":"x"}]}})"},
      {kList, "SET a[0] = a[4] REMOVE a[4]",
       R"({"a":{"L":[{"N":"4"},{"N":"1"},{"N":"2"},{"N":"3"}]}})"},
      {kList, "ADD a[1] :n, a[9] :ss",
       R"({"a":{"L":[{"N":"0"},{"N":"3"},{"N":"2"},{"N":"3"},{"N":"4"},{"SS":["a","c"]}]}})"},
      {kList, "DELETE a[9] :ss", kList},
      {R"({"a":{"L":[{"SS":["a"]},{"N":"1"}]}})", "DELETE a[0] :ss", R"({"a":{"L":[{"N":"1"}]}})"},
      {R"({"a":{"L":[{"L":[{"N":"1"}]},{"M":{}}]}})", "SET a[0][3] = :s, a[1].b = :t",
       R"({"a":{"L":[{"L":[{"N":"1"},{"S":"x"}]},{"M":{"b":{"S":"y"}}}]}})"},
      {kList, "SET a[5].b = :s", kInvalidPath},
      {kList, "SET a.b = :s", kInvalidPath},
      {kList, "SET a[0][0] = :s", kInvalidPath},
  };
  check(rows);
}

TEST_CASE("update: maps and nested targets", "[protocol][expression]") {
  constexpr std::string_view kMap =
      R"({"a":{"M":{"b":{"N":"1"},"d":{"M":{"e":{"S":"f"}}}}},"z":{"S":"w"}})";
  const Row rows[] = {
      {kMap, "SET a.c = :s, a.d.a = :n REMOVE a.b",
       R"({"a":{"M":{"c":{"S":"x"},"d":{"M":{"a":{"N":"2"},"e":{"S":"f"}}}}},"z":{"S":"w"}})"},
      {kMap, "SET a.d = :s", R"({"a":{"M":{"b":{"N":"1"},"d":{"S":"x"}}},"z":{"S":"w"}})"},
      {kMap, "SET a.d = a",
       R"({"a":{"M":{"b":{"N":"1"},"d":{"M":{"b":{"N":"1"},"d":{"M":{"e":{"S":"f"}}}}}}},"z":{"S":"w"}})"},
      {kMap, "REMOVE a.b, a.d", R"({"a":{"M":{}},"z":{"S":"w"}})"},
      {kMap, "REMOVE a.d.gone, gone", kMap},
      {kMap, "REMOVE a, z", "{}"},
      {kMap, "ADD a.b :n, a.n :ns",
       R"({"a":{"M":{"b":{"N":"3"},"d":{"M":{"e":{"S":"f"}}},"n":{"NS":["1","2.5"]}}},"z":{"S":"w"}})"},
      {kMap, "DELETE a.gone :ss, gone :ss", kMap},
      {kMap, "SET q.c = :s", kInvalidPath},
      {kMap, "SET z.c = :s", kInvalidPath},
      {kMap, "SET a.q.c = :s", kInvalidPath},
      {kMap, "SET a[0] = :s", kInvalidPath},
      {kMap, "SET q[0] = :s", kInvalidPath},
      {kMap, "ADD q.c :n", kInvalidPath},
      {kMap, "REMOVE q.c", kInvalidPath},
      {kMap, "REMOVE z[0]", kInvalidPath},
      {kMap, "REMOVE a.b.c", kInvalidPath},
      {kMap, "DELETE q.c :ss", kInvalidPath},
      {kMap, "DELETE z[1] :ss", kInvalidPath},
  };
  check(rows);
}

TEST_CASE("update: ADD and DELETE", "[protocol][expression]") {
  const Row rows[] = {
      {R"({"a":{"N":"5"}})", "ADD a :neg", R"({"a":{"N":"-2"}})"},
      {R"({})", "ADD a :neg, b :ss, c :bs",
       R"({"a":{"N":"-7"},"b":{"SS":["a","c"]},"c":{"BS":["AQ=="]}})"},
      {R"({"a":{"SS":["b","c"]}})", "ADD a :ss", R"({"a":{"SS":["a","b","c"]}})"},
      {R"({"a":{"NS":["-3","1.0","10"]}})", "ADD a :ns", R"({"a":{"NS":["-3","1","2.5","10"]}})"},
      {R"({"a":{"BS":["AA==","Ag=="]}})", "ADD a :bs", R"({"a":{"BS":["AA==","AQ==","Ag=="]}})"},
      {R"({"a":{"SS":["b","c"]}})", "DELETE a :ss", R"({"a":{"SS":["b"]}})"},
      {R"({"a":{"NS":["1.00","2.5","3"]}})", "DELETE a :ns", R"({"a":{"NS":["3"]}})"},
      {R"({"a":{"SS":["b"]}})", "DELETE a :ss", R"({"a":{"SS":["b"]}})"},
      {R"({"a":{"SS":["a","c"]},"b":{"N":"1"}})", "DELETE a :ss", R"({"b":{"N":"1"}})"},
      {R"({"a":{"N":"1"}})", "DELETE b :ss", R"({"a":{"N":"1"}})"},
      {R"({"a":{"S":"1"}})", "ADD a :n", kWrongType},
      {R"({"a":{"S":"1"}})", "ADD a :ss", kWrongType},
      {R"({"a":{"N":"1"}})", "ADD a :ns", kWrongType},
      {R"({"a":{"NS":["1"]}})", "ADD a :n", kWrongType},
      {R"({"a":{"SS":["1"]}})", "ADD a :ns", kWrongType},
      {R"({"a":{"L":[]}})", "ADD a :ss", kWrongType},
      {R"({"a":{"SS":["1"]}})", "DELETE a :ns", kWrongType},
      {R"({"a":{"S":"1"}})", "DELETE a :ss", kWrongType},
  };
  check(rows);
}

TEST_CASE("update: an item that does not exist", "[protocol][expression]") {
  const std::string_view kKey = R"({"pk":{"S":"key"}})";
  CHECK(inserted("SET a = :n") == R"({"a":{"N":"2"},"pk":{"S":"key"}})");
  CHECK(inserted("SET a = pk") == R"({"a":{"S":"key"},"pk":{"S":"key"}})");
  CHECK(inserted("ADD a :n, z :ss") == R"({"a":{"N":"2"},"pk":{"S":"key"},"z":{"SS":["a","c"]}})");
  CHECK(inserted("REMOVE a") == kKey);
  CHECK(inserted("DELETE a :ss") == kKey);
  CHECK(inserted("REMOVE x.y, z[0], w.v.u") == kKey);
  CHECK(inserted("DELETE x.y :ss") == kKey);
  CHECK(inserted("SET a = a") == kMissing);
  CHECK(inserted("SET x.y = :n") == kInvalidPath);
  CHECK(inserted("ADD x.y :n") == kInvalidPath);
  CHECK(inserted("SET x.y = :n REMOVE x.z") == kInvalidPath);
}

TEST_CASE("update: nothing gets deeper than 32 levels", "[protocol][expression]") {
  // a.m.m…: `levels` maps around a string.
  const auto nested = [](int levels) {
    std::string json = R"({"S":"x"})";
    for (int i = 0; i < levels; ++i) json = R"({"M":{"m":)" + json + "}}";
    return json;
  };
  const std::string item = R"({"a":)" + nested(30) + R"(,"b":{"M":{}},"c":{"L":[{"M":{}}]}})";
  CHECK(updated(item, "SET b.m = a").find(R"("b":{"M":{"m":)" + nested(30)) != std::string::npos);
  CHECK(updated(item, "SET b.m = a.m, c[0].m = a.m").find(nested(29)) != std::string::npos);
  CHECK(updated(item, "SET c[0].m = a") == kTooDeep);
  CHECK(updated(item, "SET c[7] = b, d = a, b.d = a, c[0].n = a") == kTooDeep);
}

TEST_CASE("update: legacy actions", "[protocol][expression]") {
  constexpr std::string_view kMismatch = "Type mismatch for attribute to update";
  Fixture fixture(R"({"l":{"L":[{"N":"1"}]},"n":{"N":"1"},"s":{"SS":["a"]},"t":{"S":"x"}})");
  PathElement name;
  Operand operand{.kind = Operand::Kind::Constant};
  ValueAction action;
  Update update{.is_legacy = true};
  const Path target(&name, 1);
  const auto run = [&](std::string_view attribute, std::string_view placeholder, bool adds) {
    name.name = attribute;
    operand.value = *fixture.placeholders.find_value(placeholder);
    action = {target, operand};
    update.adds = adds ? std::span(&action, 1) : std::span<ValueAction>();
    update.deletes = adds ? std::span<ValueAction>() : std::span(&action, 1);
    update.targets = std::span(&action.target, 1);
    return fixture.apply(update);
  };
  CHECK(
      run("l", ":l", true) ==
      R"({"l":{"L":[{"N":"1"},{"S":"p"},{"S":"q"}]},"n":{"N":"1"},"s":{"SS":["a"]},"t":{"S":"x"}})");
  CHECK(run("a", ":l", true).starts_with(R"({"a":{"L":[{"S":"p"},{"S":"q"}]},"l":)"));
  CHECK(run("n", ":n", true).find(R"("n":{"N":"3"})") != std::string::npos);
  CHECK(run("s", ":ss", false).find(R"("s")") == std::string::npos);
  CHECK(run("n", ":l", true) == kMismatch);
  CHECK(run("l", ":n", true) == kMismatch);
  CHECK(run("t", ":ss", true) == kMismatch);
  CHECK(run("t", ":ss", false) == kMismatch);
  CHECK(run("l", ":ss", false) == kMismatch);
}

TEST_CASE("update: the targeted part before and after", "[protocol][expression]") {
  struct PartRow {
    std::string_view text;
    std::string_view before;
    std::string_view after;
  };
  const PartRow rows[] = {
      {"SET a = :n, b.c = :s", R"({"a":{"N":"1"},"b":{"M":{"c":{"S":"p"}}}})",
       R"({"a":{"N":"2"},"b":{"M":{"c":{"S":"x"}}}})"},
      {"SET added = :n", "{}", R"({"added":{"N":"2"}})"},
      {"SET b.added = :n", "{}", R"({"b":{"M":{"added":{"N":"2"}}}})"},
      {"REMOVE a, gone", R"({"a":{"N":"1"}})", "{}"},
      {"SET l[1] = :s", R"({"l":{"L":[{"N":"11"}]}})", R"({"l":{"L":[{"S":"x"}]}})"},
      {"SET l[1] = :s, l[0] = :n, b.c = :t",
       R"({"b":{"M":{"c":{"S":"p"}}},"l":{"L":[{"N":"10"},{"N":"11"}]}})",
       R"({"b":{"M":{"c":{"S":"y"}}},"l":{"L":[{"N":"2"},{"S":"x"}]}})"},
      {"REMOVE l[1], l[3]", R"({"l":{"L":[{"N":"11"}]}})", R"({"l":{"L":[{"N":"12"}]}})"},
      {"SET l[100] = :s", "{}", "{}"},
      {"SET l[3] = :s", "{}", R"({"l":{"L":[{"S":"x"}]}})"},
      {"ADD s :ss DELETE a2 :ss", R"({"a2":{"SS":["a","c"]},"s":{"SS":["b"]}})",
       R"({"s":{"SS":["a","b","c"]}})"},
  };
  for (const PartRow& row : rows) {
    CAPTURE(std::string(row.text));
    Fixture fixture(
        R"({"a":{"N":"1"},"a2":{"SS":["a","c"]},"b":{"M":{"c":{"S":"p"},"d":{"S":"q"}}},
            "l":{"L":[{"N":"10"},{"N":"11"},{"N":"12"}]},"s":{"SS":["b"]},"z":{"S":"other"}})");
    const Update& update = fixture.parse(row.text);
    CHECK(Fixture::json(targeted_part(update, fixture.item, fixture.arena)) == row.before);
    const auto after = apply_update(update, fixture.item, true, fixture.arena);
    REQUIRE(after);
    CHECK(Fixture::json(targeted_part(update, *after, fixture.arena)) == row.after);
  }
}

}  // namespace
}  // namespace stator::expr
