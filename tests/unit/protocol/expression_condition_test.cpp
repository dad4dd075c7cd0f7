// Conditions: the static checks, their order and texts; evaluation on items.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/expression/condition.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

// A request's placeholders and an item.
struct Fixture {
  explicit Fixture(std::string body_text, std::string item_text = "{}")
      : body(std::move(body_text)), item_body(std::move(item_text)) {
    const auto node = read_json(body, arena);
    REQUIRE(node);
    auto read = Placeholders::read(*node, Wording{}, arena);
    REQUIRE(read);
    placeholders = *read;
    const auto item_node = read_json(item_body, arena);
    REQUIRE(item_node);
    const auto decoded = decode_item(*item_node, Wording{}, arena);
    REQUIRE(decoded);
    item = *decoded;
  }

  // The message about a condition without its prefix, empty if it is fine.
  std::string error(std::string_view text) {
    constexpr std::string_view kPrefix = "Invalid FilterExpression: ";
    const auto parsed = parse_condition(text, "FilterExpression", placeholders, Wording{}, arena);
    if (parsed) return {};
    CHECK(parsed.error().code() == ErrorCode::Validation);
    CHECK(parsed.error().message().starts_with(kPrefix));
    return parsed.error().message().substr(kPrefix.size());
  }

  bool is_met(std::string_view text, Item of) {
    const auto parsed = parse_condition(text, "FilterExpression", placeholders, Wording{}, arena);
    if (!parsed) FAIL(parsed.error().message());
    return matches(**parsed, of);
  }

  std::string body;
  std::string item_body;
  Arena arena;
  Placeholders placeholders;
  Item item;
};

constexpr const char* kBody = R"({
  "ExpressionAttributeNames": {"#a": "a", "#dot": "x.y", "#name": "name"},
  "ExpressionAttributeValues": {
    ":s": {"S": "te"}, ":S": {"S": "S"}, ":word": {"S": "text"}, ":x": {"S": "x"},
    ":y": {"S": "y"}, ":empty": {"S": ""}, ":n": {"N": "2"}, ":n00": {"N": "2.00"},
    ":m": {"N": "10"}, ":neg": {"N": "-1.50"}, ":b": {"B": "AQI="}, ":b1": {"B": "AQ=="},
    ":t": {"BOOL": true}, ":f": {"BOOL": false}, ":z": {"NULL": true},
    ":l": {"L": [{"S": "x"}]}, ":o": {"M": {"k": {"S": "x"}}}, ":ss": {"SS": ["y", "x"]},
    ":ns": {"NS": ["2.0", "1"]}, ":bs": {"BS": ["AQ=="]}, ":type": {"S": "TEXT"},
    ":0": {"N": "0"}, ":1": {"N": "1"}, ":3": {"N": "3"}, ":4": {"N": "4"}, ":100": {"N": "100"},
    ":SS": {"S": "SS"}, ":BOOL": {"S": "BOOL"}, ":NULL": {"S": "NULL"}, ":L": {"S": "L"}}})";

struct Row {
  std::string_view text;
  std::string_view expected;
};

constexpr std::string_view kDistinct =
    "The first operand must be distinct from the remaining operands for this operator or "
    "function; operator: ";
constexpr std::string_view kCount =
    "Incorrect number of operands for operator or function; operator or function: ";
constexpr std::string_view kWrongType =
    "Incorrect operand type for operator or function; operator or function: ";
constexpr std::string_view kPathNeeded =
    "Operator or function requires a document path; operator or function: ";
constexpr std::string_view kNoName =
    "An expression attribute name used in the document path is not defined; attribute name: ";
constexpr std::string_view kNoValue =
    "An expression attribute value used in expression is not defined; attribute value: ";

void check_all(Fixture& fixture, std::string_view start, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(fixture.error(row.text) == std::string(start).append(row.expected));
  }
}

TEST_CASE("condition: static errors", "[protocol][expression]") {
  Fixture fixture(kBody);
  check_all(fixture, kNoName, {{"#q = :q", "#q"}, {"a = :s AND b.#q = :s", "#q"}});
  check_all(fixture, kNoValue,
            {{":q = #q", ":q"}, {"a IN (:s, :q)", ":q"}, {"size(a, :q) = :s", ":q"}});
  check_all(fixture, kCount,
            {{"begins_with(a)", "begins_with, number of operands: 1"},
             {"begins_with(a, :s, :s)", "begins_with, number of operands: 3"},
             {"contains(a)", "contains, number of operands: 1"},
             {"attribute_type(a)", "attribute_type, number of operands: 1"},
             {"attribute_exists(a, b)", "attribute_exists, number of operands: 2"},
             {"attribute_not_exists(a, b)", "attribute_not_exists, number of operands: 2"},
             {"a = size(a, :s)", "size, number of operands: 2"}});
  check_all(fixture, kDistinct,
            {{"a = #a", "=, first operand: [a]"},
             {"a[1].#dot >= #a[01].#dot", ">=, first operand: [a, [1], x.y]"},
             {"contains(a, #a)", "contains, first operand: [a]"},
             {"begins_with(b, b)", "begins_with, first operand: [b]"}});
  check_all(fixture, kPathNeeded,
            {{"attribute_exists(:s)", "attribute_exists"},
             {"attribute_not_exists(size(a))", "attribute_not_exists"},
             {"attribute_type(:s, :n)", "attribute_type"}});
  check_all(
      fixture, kWrongType,
      {{"a < :t", "<, operand type: BOOL"},
       {":z <= a", "<=, operand type: NULL"},
       {"a > :l", ">, operand type: L"},
       {"a >= :ss", ">=, operand type: SS"},
       {"a BETWEEN :o AND :n", "BETWEEN, operand type: M"},
       {":ns BETWEEN a AND b", "BETWEEN, operand type: NS"},
       {"begins_with(a, :n)", "begins_with, operand type: N"},
       {"begins_with(:bs, :s)", "begins_with, operand type: BS"},
       {"size(:n) = a", "size, operand type: N"},
       {"size(:t) = a", "size, operand type: BOOL"},
       {"a IN (size(:z))", "size, operand type: NULL"},
       {"attribute_type(a, :n)", "attribute_type, operand type: N"},
       {"attribute_type(a, b)", "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"}});
  check_all(fixture, "Invalid attribute type name found; type: ",
            {{"attribute_type(a, :type)", "TEXT, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"}});
  check_all(fixture, "The BETWEEN operator requires ",
            {{"a BETWEEN :neg AND :s",
              "same data type for lower and upper bounds; lower bound operand: AttributeValue: "
              "{N:-1.5}, upper bound operand: AttributeValue: {S:te}"},
             {"a BETWEEN :m AND :n",
              "upper bound to be greater than or equal to lower bound; lower bound operand: "
              "AttributeValue: {N:10}, upper bound operand: AttributeValue: {N:2}"},
             {"a BETWEEN :b AND :b1",
              "upper bound to be greater than or equal to lower bound; lower bound operand: "
              "AttributeValue: {B:AQI=}, upper bound operand: AttributeValue: {B:AQ==}"}});
}

TEST_CASE("condition: what is allowed", "[protocol][expression]") {
  Fixture fixture(kBody);
  for (const char* text :
       {":s = :s", "a = :t", "a <> :l", "a IN (:t, :z, :l, :o, :ss)", "a IN (a)",
        "contains(a, :ss)", "contains(a, :t)", "contains(:word, a)", "size(:word) > a",
        "size(:l) = size(:o)", "begins_with(:word, a)", "begins_with(a, b)", "a BETWEEN a AND a",
        "a BETWEEN :n AND :n00", "a BETWEEN :m AND b", "size(a) = size(a)", "a.b = a",
        "a[0] = a[1]", "attribute_type(a.b, :BOOL)"}) {
    CAPTURE(text);
    CHECK(fixture.error(text) == "");
  }
}

TEST_CASE("condition: the first problem wins, the kind of text before the rest",
          "[protocol][expression]") {
  Fixture fixture(kBody);
  const std::string distinct = std::string(kDistinct).append("=, first operand: [a]");
  // One condition after the other; within one, placeholders first.
  CHECK(fixture.error("a = a AND #q = :s") == distinct);
  CHECK(fixture.error("#q = :s AND a = a") == std::string(kNoName).append("#q"));
  CHECK(fixture.error("begins_with(a) AND #q = :s").starts_with(kCount));
  CHECK(fixture.error("attribute_exists(:q)") == std::string(kNoValue).append(":q"));
  CHECK(fixture.error("contains(size(:n), size(:n))").starts_with(kWrongType));
  // What the text tells comes before all of it, the limits after.
  CHECK(fixture.error("a = a AND name = :s").starts_with("Attribute name is a reserved"));
  std::string many = "a = a";
  for (int i = 0; i < 300; ++i) many += " OR a=:s";
  CHECK(fixture.error(many) == distinct);
}

TEST_CASE("condition: limits on operators and operands", "[protocol][expression]") {
  Fixture fixture(kBody);
  std::string text = "b IN (:s)";
  for (int i = 0; i < 149; ++i) text += " OR a=:s";
  CHECK(fixture.error(text) == "");  // 1 + 2 * 149
  CHECK(fixture.error("NOT " + text) == "");
  CHECK(fixture.error("NOT NOT " + text) ==
        "The expression contains too many operators; operator count: 301");
  CHECK(fixture.error(text + " AND a BETWEEN :n AND :m") ==
        "The expression contains too many operators; operator count: 301");

  std::string in = "a IN (:s";
  for (int i = 1; i < 100; ++i) in += ", :s";
  CHECK(fixture.error(in + ")") == "");
  CHECK(fixture.error(in + ", :s)") ==
        "The IN operator is provided with too many operands; number of operands: 101");
}

constexpr const char* kItem = R"({
  "a": {"S": "text"}, "n": {"N": "2"}, "neg": {"N": "-3"}, "bin": {"B": "AQID"},
  "m": {"M": {"k": {"S": "x"}, "l": {"L": [{"N": "10"}, {"M": {"z": {"S": "y"}}}]}}},
  "lst": {"L": [{"S": "x"}, {"N": "2.0"}, {"SS": ["x", "y"]}]}, "ss": {"SS": ["x", "y"]},
  "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AQ==", "AQI="]}, "yes": {"BOOL": true},
  "nul": {"NULL": true}, "x.y": {"S": "te"}, "name": {"S": "x"}, "hollow": {"S": ""},
  "wide": {"S": "a\u00e4\u20ac\ud83d\ude00"}, "obj": {"M": {"k": {"S": "x"}}},
  "one": {"L": [{"S": "x"}]}, "hundred": {"S": "100"}, "twin": {"S": "text"}})";

TEST_CASE("condition: true for the item", "[protocol][expression]") {
  Fixture fixture(kBody, kItem);
  for (const char* text :
       {"a = :word", "a = twin", "a <> :s", "n = :n00", "n <> :s", "n < :m", "neg < :n",
        "neg <= neg2 OR n >= :n", "m.l[0] = :m", "m.l[1].z > m.k", "#dot = :s", "#name = :x",
        "ss = :ss", "ns = :ns", "obj = :o", "one = :l", "yes = :t", "nul = :z", "yes <> :f",
        "hollow = :empty", "hollow < :x", "bin > :b", "lst[2] = ss",
        // <> with sides that are missing
        "gone <> :s", "gone <> lost", ":s <> a.b", "lst[9] <> :x", "a[0] <> :x", "m.l.k <> :x",
        "size(gone) <> :n",
        // other operators
        "n BETWEEN :n AND :n00", "n BETWEEN :1 AND :m", ":3 BETWEEN n AND m.l[0]",
        "a IN (:s, :word)", "ss IN (:ns, :ss)", "one IN (gone, :l)", "obj IN (:o)",
        "size(a) IN (:4)", "attribute_exists(m.l[1].z)", "attribute_exists(nul)",
        "attribute_not_exists(m.l[2])", "attribute_not_exists(gone.k[0])",
        "attribute_not_exists(a.k)", "attribute_type(a, :S)", "attribute_type(ss, :SS)",
        "attribute_type(yes, :BOOL)", "attribute_type(nul, :NULL)", "attribute_type(lst, :L)",
        "begins_with(a, :s)", "begins_with(a, a2) OR begins_with(a, #dot)", "begins_with(bin, :b)",
        "begins_with(a, :empty)", "contains(a, :x)", "contains(bin, :b1)", "contains(ss, :x)",
        "contains(ns, :n00)", "contains(bs, :b)", "contains(lst, :n)", "contains(lst, :ss)",
        "contains(lst, m.k)", "contains(:word, #dot)",
        // sizes: UTF-16 units of S, bytes of B, members of the rest
        "size(a) = :4", "size(wide) = size(lst2) OR size(bin) = :3", "size(hollow) = :0",
        "size(m) = :n", "size(lst) = :3", "size(ss) = :n", "size(bs) > :1", "size(:word) = :4",
        // logic
        "NOT a = :s", "NOT gone = :s", "NOT gone < :s", "NOT size(n) = :n", "a = :s OR n = :n",
        "a = :word AND n = :n AND yes = :t", "a = :word OR n = :m AND yes = :f",
        "(a = :s OR n = :n) AND NOT yes = :f", "NOT (a = :s AND n = :n)", "NOT NOT a = :word"}) {
    CAPTURE(text);
    CHECK(fixture.is_met(text, fixture.item));
  }
}

TEST_CASE("condition: false for the item", "[protocol][expression]") {
  Fixture fixture(kBody, kItem);
  for (const char* text :
       {"a = :s", "a <> twin", "n <> :n00", "a = n", "hundred = :100", "hundred > :1", "a < :m",
        "n > neg2", "yes = :f", "nul = :t", "ns = :ss", "lst = :l", "m = :o",
        // missing and unsupported
        "gone = :s", "gone = gone.x", "gone < :s", ":s > gone", "lst[9] = :x",
        "gone BETWEEN :s AND :x", ":n BETWEEN gone AND :m", "gone IN (:s)", "a IN (gone)",
        "begins_with(gone, :s)", "begins_with(a, gone)", "contains(gone, :s)",
        "contains(lst, gone)", "size(gone) = :n", "size(n) = :n", "size(n) <> :n",
        "size(yes) <> :n", "size(nul) < :n", "size(size(a)) <> :n", "yes < a", "yes > n", "ss <= n",
        "lst < m", "attribute_type(gone, :S)", "attribute_exists(gone)", "attribute_not_exists(a)",
        "attribute_exists(lst[3])", "attribute_exists(m.k.z)", "attribute_exists(ss[0])",
        // other operators
        "a BETWEEN :1 AND :m", "n BETWEEN :3 AND :m", "a BETWEEN n AND :x", "a IN (:s, :x)",
        "attribute_type(n, :S)", "begins_with(a, :x)", "begins_with(n, :s)", "begins_with(bin, :s)",
        "begins_with(#dot, a)", "contains(a, :n)", "contains(a, :b)", "contains(ss, :s)",
        "contains(ss, :ss)", "contains(ns, :x)", "contains(n, :n)", "contains(m, m.k)",
        "contains(lst, :m)", "contains(yes, :t)", "size(wide) = :4", "NOT a = :word",
        "NOT gone <> :s", "a = :word AND n = :m", "a = :s OR n = :m"}) {
    CAPTURE(text);
    CHECK_FALSE(fixture.is_met(text, fixture.item));
  }
}

TEST_CASE("condition: sizes of texts count UTF-16 units", "[protocol][expression]") {
  Fixture fixture(R"({"ExpressionAttributeValues": {":n": {"N": "5"}, ":ten": {"N": "10"},
                      ":hundred": {"N": "100"}, ":t": {"S": "0123456789"}}})",
                  kItem);
  CHECK(fixture.is_met("size(wide) = :n", fixture.item));
  CHECK(fixture.is_met("size(:t) = :ten AND size(:t) < :hundred", fixture.item));
  const std::string text(100, 'x');
  const Member member{"t", Value::string(text)};
  CHECK(fixture.is_met("size(t) = :hundred", Item(&member, 1)));
}

TEST_CASE("condition: the deepest texts are checked and evaluated", "[protocol][expression]") {
  Fixture fixture(kBody, kItem);
  std::string sizes = "a";
  for (int i = 0; i < 680; ++i) sizes = "size(" + sizes + ")";
  CHECK_FALSE(fixture.is_met(sizes + "=:s", fixture.item));
  std::string nested = "n=:m";
  for (int i = 0; i < 149; ++i) nested = "(" + nested + " OR n=:m)";
  CHECK_FALSE(fixture.is_met(nested, fixture.item));
  CHECK(fixture.is_met("NOT " + nested, fixture.item));
  std::string nots;
  for (int i = 0; i < 299; ++i) nots += "NOT ";
  CHECK(fixture.is_met(nots + "n = :m", fixture.item));
}

TEST_CASE("condition: an item that does not exist has no attributes", "[protocol][expression]") {
  Fixture fixture(kBody);
  CHECK(fixture.is_met("attribute_not_exists(pk)", {}));
  CHECK(fixture.is_met("a <> :s AND NOT b = :s", {}));
  CHECK(fixture.is_met("size(:word) = :4", {}));
  CHECK_FALSE(fixture.is_met("attribute_exists(pk) OR a = :s", {}));
}

}  // namespace
}  // namespace stator::expr
