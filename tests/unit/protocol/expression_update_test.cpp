// Updates: syntax, the static checks, their order and texts.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/expression/parser.h"
#include "protocol/expression/printer.h"
#include "protocol/expression/update.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

constexpr std::string_view kPrefix = "Invalid UpdateExpression: ";

// The canonical text of an update, or the message about it without its prefix.
std::string printed(std::string_view text) {
  Arena arena;
  const auto parsed = parse_update_text(text, {"UpdateExpression", Wording{}}, arena);
  if (!parsed) return parsed.error().message().substr(kPrefix.size());
  std::string out;
  append_update(out, **parsed);
  return out;
}

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

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST_CASE("update syntax: trees print in canonical form", "[protocol][expression]") {
  const Row rows[] = {
      {"set a=:v", "SET a = :v"},
      {"\tSeT a.b[0] = #c . d , e = f", "SET a.b[0] = #c.d, e = f"},
      {"SET a = b+:v", "SET a = b + :v"},
      {"SET a = :v-b , c = :w", "SET a = :v - b, c = :w"},
      {"SET a = (b)", "SET a = b"},
      {"SET a = (b + :v)", "SET a = b + :v"},
      {"SET a = (b) + (:v)", "SET a = b + :v"},
      {"SET a = ((b) + :v)", "SET a = b + :v"},
      {"SET a = if_not_exists(b, :v) + list_append((c), :w)",
       "SET a = if_not_exists(b, :v) + list_append(c, :w)"},
      {"SET a = if_not_exists(b, if_not_exists(c, :v))",
       "SET a = if_not_exists(b, if_not_exists(c, :v))"},
      {"SET a = list_append(if_not_exists(a, :e), :v)",
       "SET a = list_append(if_not_exists(a, :e), :v)"},
      {"remove a, b[2], c.d", "REMOVE a, b[2], c.d"},
      {"ADD a :v, b.c :w", "ADD a :v, b.c :w"},
      {"DELETE a :v,b :w", "DELETE a :v, b :w"},
      {"DELETE a :v ADD b :w REMOVE c SET d = :x", "SET d = :x REMOVE c ADD b :w DELETE a :v"},
      {"SET a = remove1", "SET a = remove1"},
      {"SET a=:v REMOVE b", "SET a = :v REMOVE b"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(printed(row.text) == row.expected);
    CHECK(printed(row.expected) == row.expected);
  }
}

TEST_CASE("update syntax: errors show the token and its neighbours", "[protocol][expression]") {
  struct ErrorRow {
    std::string_view text;
    std::string_view token;
    std::string_view near;
  };
  const ErrorRow rows[] = {
      {"SET x = 3", "3", "= 3"},
      {"SET xs[ 3", "<EOF>", "3"},
      {"SET xs[ 3 ", "<EOF>", "3 "},
      {"SET xs[3 )", ")", "3 )"},
      {"SET ) 3", ")", "SET ) 3"},
      {"  RESET x y", "RESET", "  RESET x"},
      {"SET a [  [2] ]. b = 5", "[", "[  [2"},
      {"SET a [2 1]. b", "1", "2 1]"},
      {"SET #a a = 5", "a", "#a a ="},
      {"SET x = y + + :v ", "+", "+ + :v"},
      {"REMOVE x + ", "+", "x + "},
      {"ADD x y z", "y", "x y z"},
      {"REMOVE if_not_exists(a,b)", "(", "if_not_exists(a"},
      {"SET x = (:v", "<EOF>", ":v"},
      {"SET _1", "_", "SET _1"},
      {"SET a|", "|", "a|"},
      {"|", "|", "|"},
      {"WRONG SHAPE HERE", "WRONG", "WRONG SHAPE"},
      {"SET", "<EOF>", "SET"},
      {"   ", "<EOF>", "   "},
      {"SET a = :v,", "<EOF>", ","},
      {"SET a = :v extra", "extra", ":v extra"},
      {"SET a = :v, REMOVE b", "REMOVE", ", REMOVE b"},
      {"SET a = :a + :b + :c", "+", ":b + :c"},
      {"SET a = (:a + :b) + :c", "+", ") + :c"},
      {"SET a = :a + (:b + :c)", "+", ":b + :c"},
      {"SET c = if_not_exists(c, :a+:b)", "+", ":a+:b"},
      {"SET a = f()", ")", "()"},
      {"SET a = f(b", "<EOF>", "b"},
      {"SET a[:i] = :v", ":i", "[:i]"},
      {"SET a[#i] = :v", "#i", "[#i]"},
      {"SET :a = :b", ":a", "SET :a ="},
      {"SET a = :v = :w", "=", ":v = :w"},
      {"SET a = b <> c", "<>", "b <> c"},
      {"SET a :v", ":v", "a :v"},
      {"ADD a = :v", "=", "a = :v"},
      {"ADD a (:v)", "(", "a (:v"},
      {"ADD a", "<EOF>", "a"},
      {"DELETE a b", "b", "a b"},
      {"DELETE a if_not_exists(a, :v)", "if_not_exists", "a if_not_exists("},
      {"REMOVE :v", ":v", "REMOVE :v"},
      {"REMOVE a b", "b", "a b"},
      {"REMOVE (a)", "(", "REMOVE (a"},
      {"SET REMOVE = :v", "REMOVE", "SET REMOVE ="},
      {"SET set.a = :v", "set", "SET set."},
      {"a = :v", "a", "a ="},
      {"SET abort = 3", "3", "= 3"},
  };
  for (const ErrorRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(printed(row.text) == std::string("Syntax error; token: \"")
                                   .append(row.token)
                                   .append("\", near: \"")
                                   .append(row.near)
                                   .append("\""));
  }
}

TEST_CASE("update syntax: hostile texts are refused", "[protocol][expression]") {
  const std::string set = "SET a = ";
  CHECK(printed(set + std::string(kExpressionBytesMax - set.size(), '(')) ==
        "The expression has redundant parentheses;");
  std::string calls = set;
  for (int i = 0; i < 2000; ++i) calls += "f(";
  CHECK(printed(calls) == "The expression has redundant parentheses;");
  CHECK(printed(set + ":v" + std::string(kExpressionBytesMax - 10, ' ')) == "SET a = :v");
  CHECK(printed(set + ":v" + std::string(kExpressionBytesMax - 9, ' ')) ==
        "Expression size has exceeded the maximum allowed size;");
}

TEST_CASE("update checks: texts", "[protocol][expression]") {
  const Row rows[] = {
      {"", "The expression can not be empty;"},
      {"SET a = ((:n))", "The expression has redundant parentheses;"},
      {"SET a = ((:n + :n))", "The expression has redundant parentheses;"},
      {"SET name = :n", "Attribute name is a reserved keyword; reserved keyword: name"},
      {"SET a.Name = :n", "Attribute name is a reserved keyword; reserved keyword: Name"},
      {"SET a = b.Zone", "Attribute name is a reserved keyword; reserved keyword: Zone"},
      {"REMOVE Absolute", "Attribute name is a reserved keyword; reserved keyword: Absolute"},
      {"SET a[2147483648] = :n",
       "List index is not within the allowable range; index: [2147483648]"},
      {"REMOVE a[99999999999999999999999]",
       "List index is not within the allowable range; index: [99999999999999999999999]"},
      {"SET a = blend(b, :n)", "Invalid function name; function: blend"},
      {"SET a = IF_NOT_EXISTS(b, :n)", "Invalid function name; function: IF_NOT_EXISTS"},
      {"SET a = size(b)", "The function is not allowed in an update expression; function: size"},
      {"SET a = attribute_exists(b)",
       "The function is not allowed in an update expression; function: attribute_exists"},
      {"SET a = list_append(list_append(:l, :l), :l)",
       "The function is not allowed to be used this way in an expression; function: list_append"},
      {"SET a = :n SET b = :n",
       "The \"SET\" section can only be used once in an update expression;"},
      {"REMOVE a set b = :n Remove c",
       "The \"REMOVE\" section can only be used once in an update expression;"},
      {"ADD a :n add b :n", "The \"ADD\" section can only be used once in an update expression;"},
      {"DELETE a :ss DELETE b :ss",
       "The \"DELETE\" section can only be used once in an update expression;"},
      {"SET #q = :n",
       "An expression attribute name used in the document path is not defined; attribute name: #q"},
      {"SET a = if_not_exists(#q.b, :n)",
       "An expression attribute name used in the document path is not defined; attribute name: #q"},
      {"SET a = :q",
       "An expression attribute value used in expression is not defined; attribute value: :q"},
      {"ADD a :q",
       "An expression attribute value used in expression is not defined; attribute value: :q"},
      {"DELETE a :q",
       "An expression attribute value used in expression is not defined; attribute value: :q"},
      {"SET a = :n, a = :n",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [a], path two: [a]"},
      {"SET a.b = :n, a = :n",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [a, b], path two: [a]"},
      {"REMOVE a[1] SET #a = :n",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [a, [1]], path two: [a]"},
      {"ADD a.b :n DELETE #a.b :ss",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [a, b], path two: [a, b]"},
      {"SET a.b = :n REMOVE a[1]",
       "Two document paths conflict with each other; must remove or rewrite one of these paths; "
       "path one: [a, b], path two: [a, [1]]"},
      {"SET a = list_append(b)",
       "Incorrect number of operands for operator or function; operator or function: list_append, "
       "number of operands: 1"},
      {"SET a = if_not_exists(b, :n, :n)",
       "Incorrect number of operands for operator or function; operator or function: "
       "if_not_exists, number of operands: 3"},
      {"SET a = if_not_exists(:n, b)",
       "Operator or function requires a document path; operator or function: if_not_exists"},
      {"SET a = if_not_exists(if_not_exists(a, :n), b)",
       "Operator or function requires a document path; operator or function: if_not_exists"},
      {"SET a = if_not_exists(b, list_append(c, :l))",
       "The function is not allowed to be used this way in an expression; function: list_append"},
      {"SET a = b, c = d, e = if_not_exists(f, if_not_exists(g, :n)) REMOVE h[1], h[2]", ""},
      {"SET a = b, #b = #a, c = c - c", ""},
      {"SET #n = :n ADD #dot :ss", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(error(row.text) == row.expected);
  }
}

TEST_CASE("update checks: paths have 32 levels and no more", "[protocol][expression]") {
  std::string path = "a";
  for (int i = 1; i < 32; ++i) path += i % 2 == 0 ? ".b" : "[0]";
  CHECK(error("REMOVE " + path).empty());
  CHECK(error("REMOVE " + path + ".c") ==
        "The document path has too many nesting levels; nesting levels: 33");
  CHECK(error("SET a = " + path + ".c[1]") ==
        "The document path has too many nesting levels; nesting levels: 34");
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

TEST_CASE("update checks: each over the whole expression, in order", "[protocol][expression]") {
  // Every text has the errors of the rows behind it too, and reports its own.
  const Row rows[] = {
      {"SET a = blend(b) SET #q = :q, a = ((c)), name = :s + :n ADD a :s d", "Syntax error; token"},
      {"SET a = blend(b) SET #q = :q, a = ((c)), name = :s + :n ADD a :s",
       "The expression has redundant parentheses;"},
      {"SET a = blend(b) SET #q = :q, a = c, name = :s + :n ADD a :s",
       "Attribute name is a reserved keyword"},
      {"SET a = blend(b) SET #q = :q, a = c, d = :s + :n ADD a :s",
       "Invalid function name; function: blend"},
      {"SET a = list_append(list_append(:q)) SET #q = :q, a = c, d = :s + :n ADD a :s",
       "The function is not allowed to be used this way"},
      {"SET a = list_append(:q) SET #q = :q, a = c, d = :s + :n ADD a :s", "The \"SET\" section"},
      {"SET a = list_append(:q), #q = :q, a = c, d = :s + :n ADD a :s",
       "An expression attribute name used in the document path is not defined"},
      {"SET a = list_append(:q), a = c, d = :s + :n ADD a :s",
       "An expression attribute value used in expression is not defined"},
      {"SET e[0] = list_append(:n), e.f = c, d = :s + :n ADD d :s",
       "Two document paths overlap with each other"},
      {"SET e[0] = list_append(:n), e.f = c, d = :s + :n ADD a :s",
       "Two document paths conflict with each other"},
      {"SET e = list_append(:n), d = :s + :n DELETE g :s ADD a :s",
       "Incorrect operand type for operator or function; operator: ADD"},
      {"SET e = list_append(:n), d = :s + :n DELETE g :s",
       "Incorrect operand type for operator or function; operator: DELETE"},
      {"SET e = list_append(:n), d = :s + :n", "Incorrect number of operands"},
      {"SET d = if_not_exists(:n, :n) + :s", "Operator or function requires a document path"},
      {"SET d = if_not_exists(a, :n) + :s", "Incorrect operand type"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(error(row.text).starts_with(row.expected));
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

TEST_CASE("update: cost and targets", "[protocol][expression]") {
  Arena arena;
  std::string body = kBody;
  auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena);
  REQUIRE(placeholders);
  const auto parsed = parse_update("REMOVE c, d.e SET #a = :n, b = :n ADD f :n DELETE g :ss",
                                   *placeholders, Wording{}, arena);
  REQUIRE(parsed);
  CHECK(update_cost_bytes(**parsed) == 3 + 4 * 19 + 2 * 2);
  CHECK_FALSE((*parsed)->is_legacy);
  std::string names;
  for (const Path target : (*parsed)->targets) names.append(target.front().name);
  CHECK(names == "cdabfg");
}

}  // namespace
}  // namespace stator::expr
