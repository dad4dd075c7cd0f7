// Expression text: tokens, trees as they print, syntax errors, reserved words.
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/expression/lexer.h"
#include "protocol/expression/parser.h"
#include "protocol/expression/printer.h"
#include "protocol/expression/reserved_words.h"

namespace stator::expr {
namespace {

const Messages kMessages{"ConditionExpression", Wording{}};

// The canonical text of a condition, or the message about it without its prefix.
std::string printed(std::string_view text) {
  Arena arena;
  const auto parsed = parse_condition_text(text, kMessages, arena);
  std::string out;
  if (parsed) {
    append_condition(out, *parsed->root);
  } else {
    out = parsed.error().message().substr(std::string_view("Invalid ConditionExpression: ").size());
  }
  return out;
}

std::string printed_projection(std::string_view text) {
  Arena arena;
  const auto parsed = parse_projection_text(text, {"ProjectionExpression", Wording{}}, arena);
  std::string out;
  if (!parsed) {
    return parsed.error().message().substr(
        std::string_view("Invalid ProjectionExpression: ").size());
  }
  for (const Path path : *parsed) {
    if (!out.empty()) out.append(", ");
    append_path(out, path);
  }
  return out;
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

struct ErrorRow {
  std::string_view text;
  std::string_view token;
  std::string_view near;
};

TEST_CASE("expression syntax: trees print in canonical form", "[protocol][expression]") {
  const Row rows[] = {
      {"a=:v", "a = :v"},
      {" \t\r\na<>:v\n", "a <> :v"},
      {"a<:v", "a < :v"},
      {"a<=b", "a <= b"},
      {"a>b", "a > b"},
      {":v>=a", ":v >= a"},
      {"a.b[0].#c[12]=:v", "a.b[0].#c[12] = :v"},
      {"a . b [ 0 ] = :v", "a.b[0] = :v"},
      {"a[007] = :v", "a[7] = :v"},
      {"a[2147483647] = :v", "a[2147483647] = :v"},
      {"#1 = :2", "#1 = :2"},
      {"#_ = :_", "#_ = :_"},
      {"(a = :v)", "a = :v"},
      {"(a) = (:v)", "a = :v"},
      {"a=:v and b=:w Or c=:x", "a = :v AND b = :w OR c = :x"},
      {"a=:v or b=:w and c=:x", "a = :v OR b = :w AND c = :x"},
      {"(a=:v or b=:w) and c=:x", "(a = :v OR b = :w) AND c = :x"},
      {"(a=:v and b=:w) or c=:x", "a = :v AND b = :w OR c = :x"},
      {"a=:v AND (b=:w AND c=:x)", "a = :v AND (b = :w AND c = :x)"},
      {"(a=:v OR b=:w) OR c=:x", "(a = :v OR b = :w) OR c = :x"},
      {"((a = :v) AND b = :w)", "a = :v AND b = :w"},
      {"not a=:v and b=:w", "NOT a = :v AND b = :w"},
      {"not (a=:v and b=:w)", "NOT (a = :v AND b = :w)"},
      {"not not a=:v", "NOT NOT a = :v"},
      {"NOT (NOT a = :v)", "NOT NOT a = :v"},
      {"a between :v and :w and b=:x", "a BETWEEN :v AND :w AND b = :x"},
      {"a In(:v,:w , b)", "a IN (:v, :w, b)"},
      {"(a) IN (:v)", "a IN (:v)"},
      {"(a) BETWEEN (:v) AND (b)", "a BETWEEN :v AND b"},
      {"attribute_exists(a.b)", "attribute_exists(a.b)"},
      {"attribute_exists ( a )", "attribute_exists(a)"},
      {"(attribute_not_exists(a))", "attribute_not_exists(a)"},
      {"(size(a)) > :v", "size(a) > :v"},
      {"size((a)) > :v", "size(a) > :v"},
      {"size(size(a)) > (size(b))", "size(size(a)) > size(b)"},
      {"begins_with(a, :v) OR contains(b, :w)", "begins_with(a, :v) OR contains(b, :w)"},
      {"(attribute_exists(a) OR NOT b = :v)", "attribute_exists(a) OR NOT b = :v"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(printed(row.text) == row.expected);
    CHECK(printed(row.expected) == row.expected);
  }
}

TEST_CASE("expression syntax: errors show the token and its neighbours", "[protocol][expression]") {
  const ErrorRow rows[] = {
      {"WRONG SHAPE HERE", "SHAPE", "WRONG SHAPE HERE"},
      {"attribute_not_exists(", "<EOF>", "("},
      {"attribute_not_exists( ", "<EOF>", "( "},
      {"attribute_not_exists()", ")", "()"},
      {"a = = b", "=", "= = b"},
      {"a", "<EOF>", "a"},
      {":v", "<EOF>", ":v"},
      {"NOT a", "<EOF>", "a"},
      {"a AND :v", "AND", "a AND :v"},
      {"(a) AND b = :v", "AND", ") AND b"},
      {"(a AND b = :v)", "AND", "a AND b"},
      {"(a)", "<EOF>", ")"},
      {"(NOT a) = :v", ")", "a) ="},
      {"(a = :v", "<EOF>", ":v"},
      {"a = :v)", ")", ":v)"},
      {"(a = :v) = :w", "=", ") = :w"},
      {"a = (b = :v)", "=", "b = :v"},
      {"a = b = :v", "=", "b = :v"},
      {"a = :v :w", ":w", ":v :w"},
      {"a = :v AND", "<EOF>", "AND"},
      {"a = :v OR  ", "<EOF>", "OR  "},
      {"AND a", "AND", "AND a"},
      {"  = a", "=", "  = a"},
      {"   ", "<EOF>", "   "},
      {"a[:i] = :v", ":i", "[:i]"},
      {"a[#i] = :v", "#i", "[#i]"},
      {"a[ = :v", "=", "[ = :v"},
      {"a[0 = :v", "=", "0 = :v"},
      {"a[ 3", "<EOF>", "3"},
      {"[0] = :v", "[", "[0"},
      {"a. = :v", "=", ". = :v"},
      {"a.or = :v", "or", ".or ="},
      {"a..b = :v", ".", "..b"},
      {":v.a = :v", ".", ":v.a"},
      {"# = :v", "#", "# ="},
      {"a = :", ":", "= :"},
      {"a = 3", "3", "= 3"},
      {"_a = :v", "_", "_a"},
      {"1a = :v", "1", "1a"},
      {"a = \"x\"", "\"", "= \"x"},
      {"a == :v", "=", "== :v"},
      {"a != :v", "!", "a !="},
      {"\xC3\xA4 = :v", "\xC3\xA4", "\xC3\xA4 ="},
      {"a + :v = :w", "+", "a + :v"},
      {"a IN :v", ":v", "IN :v"},
      {"a IN ()", ")", "()"},
      {"a IN (:v", "<EOF>", ":v"},
      {"a IN (:v,)", ")", ",)"},
      {"a BETWEEN :v", "<EOF>", ":v"},
      {"a BETWEEN :v OR :w", "OR", ":v OR :w"},
      {"a BETWEEN (:v AND :w)", "AND", ":v AND :w"},
      {"a NOT IN (:v)", "NOT", "a NOT IN"},
      {"size(a = :v)", "=", "a = :v"},
      {"size(a, ) = :v", ")", ", ) ="},
      {"#a(b)", "(", "#a(b"},
      {"a.size(b)", "(", "size(b"},
      {"SET a = :v", "SET", "SET a"},
      {"((a = :v)) =", "=", ") ="},
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

TEST_CASE("expression syntax: what the text alone tells, in order", "[protocol][expression]") {
  const Row rows[] = {
      {"", "The expression can not be empty;"},
      {"((a = :v))", "The expression has redundant parentheses;"},
      {"((a)) = :v", "The expression has redundant parentheses;"},
      {"a = ((:v))", "The expression has redundant parentheses;"},
      {"a IN (((:v)))", "The expression has redundant parentheses;"},
      {"glows((( hue )))", "The expression has redundant parentheses;"},
      {"NOT ((a = :v AND b = :v))", "The expression has redundant parentheses;"},
      {"((attribute_exists(a)))", "The expression has redundant parentheses;"},
      {"glows(a)", "Invalid function name; function: glows"},
      {"Size(a) = :v AND glows(name)", "Invalid function name; function: Size"},
      {"size(a) AND glows(b)", "Invalid function name; function: glows"},
      {"if_not_exists(a, :v) = :v",
       "The function is not allowed in a condition expression; function: if_not_exists"},
      {"a = list_append(a, :v)",
       "The function is not allowed in a condition expression; function: list_append"},
      {"size(a)",
       "The function is not allowed to be used this way in an expression; function: size"},
      {"NOT size(name)",
       "The function is not allowed to be used this way in an expression; function: size"},
      {"attribute_exists(a) = :v",
       "The function is not allowed to be used this way in an expression; function: "
       "attribute_exists"},
      {"attribute_exists(contains(a, :v)) = :v",
       "The function is not allowed to be used this way in an expression; function: "
       "attribute_exists"},
      {"name = :v", "Attribute name is a reserved keyword; reserved keyword: name"},
      {"a.Date = :v AND name = :v", "Attribute name is a reserved keyword; reserved keyword: Date"},
      {"size = :v", "Attribute name is a reserved keyword; reserved keyword: size"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(printed(row.text) == row.expected);
  }
}

TEST_CASE("expression syntax: 4096 bytes and no more", "[protocol][expression]") {
  const std::string text = "a = :v";
  CHECK(printed(text + std::string(kExpressionBytesMax - text.size(), ' ')) == text);
  CHECK(printed(text + std::string(kExpressionBytesMax - text.size() + 1, ' ')) ==
        "Expression size has exceeded the maximum allowed size; expression size: 4097");
}

TEST_CASE("expression syntax: hostile nesting is refused", "[protocol][expression]") {
  CHECK(printed(std::string(4096, '(')) == "The expression has redundant parentheses;");
  std::string calls;
  for (int i = 0; i < 2000; ++i) calls += "f(";
  CHECK(printed(calls) == "The expression has redundant parentheses;");
  calls = "a = " + calls;
  CHECK(printed(calls) == "The expression has redundant parentheses;");
  // Below the bound the text is read to its end.
  CHECK(printed(std::string(kNestingMax, '(')) == "Syntax error; token: \"<EOF>\", near: \"(\"");
  std::string sizes = "a";
  for (int i = 0; i < 680; ++i) sizes = "size(" + sizes + ")";
  CHECK(printed(sizes + "=:v") == sizes + " = :v");
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "NOT ";
  CHECK(printed(nots + "a = b") == nots + "a = b");
}

TEST_CASE("expression syntax: projections", "[protocol][expression]") {
  const Row rows[] = {
      {"a", "a"},
      {" a , b.c[0] ,#d.#e ", "a, b.c[0], #d.#e"},
      {"a.b.c[0][1].d", "a.b.c[0][1].d"},
      {"", "The expression can not be empty;"},
      {"!!! x !!!", R"(Syntax error; token: "!", near: "!!")"},
      {"a,", R"(Syntax error; token: "<EOF>", near: ",")"},
      {",a", R"(Syntax error; token: ",", near: ",a")"},
      {"a b", R"(Syntax error; token: "b", near: "a b")"},
      {"size(a)", R"(Syntax error; token: "(", near: "size(a")"},
      {":v", R"(Syntax error; token: ":v", near: ":v")"},
      {"(a)", R"(Syntax error; token: "(", near: "(a")"},
      {"a, name, date", "Attribute name is a reserved keyword; reserved keyword: name"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(printed_projection(row.text) == row.expected);
  }
}

TEST_CASE("expression syntax: reserved words in any case", "[protocol][expression]") {
  for (const char* word : {"ABORT", "abort", "Zone", "NAME", "status", "Size", "ttl", "DATE"}) {
    CAPTURE(word);
    CHECK(is_reserved_word(word));
  }
  for (const char* word : {"", "REMOVE", "hue", "ABORTS", "ABOR", "NAM", "zzz", "A", "_",
                           "a_word_longer_than_any_of_the_reserved_ones"}) {
    CAPTURE(word);
    CHECK_FALSE(is_reserved_word(word));
  }
}

TEST_CASE("expression syntax: every kind of token", "[protocol][expression]") {
  using Kind = Token::Kind;
  Lexer lexer("a #a :a 12 aNd SET remove Add DELETE not or between in = <> < <= > >= + - ()[].,~");
  for (const Kind kind : {Kind::Identifier,
                          Kind::NamePlaceholder,
                          Kind::ValuePlaceholder,
                          Kind::Number,
                          Kind::And,
                          Kind::Set,
                          Kind::Remove,
                          Kind::Add,
                          Kind::Delete,
                          Kind::Not,
                          Kind::Or,
                          Kind::Between,
                          Kind::In,
                          Kind::Equal,
                          Kind::NotEqual,
                          Kind::Less,
                          Kind::LessEqual,
                          Kind::Greater,
                          Kind::GreaterEqual,
                          Kind::Plus,
                          Kind::Minus,
                          Kind::LeftParenthesis,
                          Kind::RightParenthesis,
                          Kind::LeftBracket,
                          Kind::RightBracket,
                          Kind::Dot,
                          Kind::Comma,
                          Kind::Other,
                          Kind::End,
                          Kind::End}) {
    CHECK(lexer.current().kind == kind);
    lexer.advance();
  }
}

}  // namespace
}  // namespace stator::expr
