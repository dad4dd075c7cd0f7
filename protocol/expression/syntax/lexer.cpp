#include "protocol/expression/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "protocol/errors/rule.h"

namespace stator::expr {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 9> kKeywords = {{
    {"AND", Kind::And},
    {"OR", Kind::Or},
    {"NOT", Kind::Not},
    {"BETWEEN", Kind::Between},
    {"IN", Kind::In},
    {"SET", Kind::Set},
    {"REMOVE", Kind::Remove},
    {"ADD", Kind::Add},
    {"DELETE", Kind::Delete},
}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_letter(char c) { return to_upper(c) >= 'A' && to_upper(c) <= 'Z'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

Kind kind_of_word(std::string_view word) {
  for (const auto& [keyword, kind] : kKeywords) {
    if (std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                   [](char a, char b) { return to_upper(a) == b; })) {
      return kind;
    }
  }
  return Kind::Identifier;
}

Kind kind_of_character(char c) {
  switch (c) {
    case '=':
      return Kind::Equal;
    case '<':
      return Kind::Less;
    case '>':
      return Kind::Greater;
    case '+':
      return Kind::Plus;
    case '-':
      return Kind::Minus;
    case '(':
      return Kind::LeftParenthesis;
    case ')':
      return Kind::RightParenthesis;
    case '[':
      return Kind::LeftBracket;
    case ']':
      return Kind::RightBracket;
    case '.':
      return Kind::Dot;
    case ',':
      return Kind::Comma;
    default:
      return Kind::Other;
  }
}

// Bytes of the UTF-8 character at the start of `text`.
std::size_t character_bytes(std::string_view text) {
  std::size_t count = 1;
  while (count < text.size() && (static_cast<unsigned char>(text[count]) & 0xC0u) == 0x80u) ++count;
  return count;
}

template <class Predicate>
std::size_t run_length(std::string_view text, std::size_t from, Predicate belongs) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

// The token at the start of `rest`. REQUIRES: `rest` is not empty and does not start with a space.
std::pair<Kind, std::size_t> token_at(std::string_view rest) {
  const char first = rest.front();
  if (is_letter(first)) {
    const std::size_t size = run_length(rest, 1, is_word);
    return {kind_of_word(rest.substr(0, size)), size};
  }
  // A leading zero is its own number, so that `[01]` is a syntax error.
  if (first == '0') return {Kind::Number, 1};
  if (is_digit(first)) return {Kind::Number, run_length(rest, 1, is_digit)};
  if (first == '#' || first == ':') {
    const std::size_t size = run_length(rest, 1, is_word);
    if (size == 1) return {Kind::Other, 1};
    return {first == '#' ? Kind::NamePlaceholder : Kind::ValuePlaceholder, size};
  }
  if (rest.starts_with("<>")) return {Kind::NotEqual, 2};
  if (rest.starts_with("<=")) return {Kind::LessEqual, 2};
  if (rest.starts_with(">=")) return {Kind::GreaterEqual, 2};
  const Kind kind = kind_of_character(first);
  return {kind, kind == Kind::Other ? character_bytes(rest) : 1};
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  current_ = read();
  next_ = read();
}

void Lexer::advance() {
  has_previous_ = true;
  previous_ = current_;
  current_ = next_;
  next_ = read();
}

Token Lexer::read() {
  offset_ = run_length(text_, offset_, is_space);
  const std::string_view rest = text_.substr(offset_);
  if (rest.empty()) return Token{Kind::End, rest};
  const auto [kind, size] = token_at(rest);
  offset_ += size;
  return Token{kind, rest.substr(0, size)};
}

Error Lexer::syntax_error(const Messages& messages) const {
  const char* const begin = has_previous_ ? previous_.text.data() : text_.data();
  const char* const end =
      next_.kind == Kind::End ? text_.data() + text_.size() : next_.text.data() + next_.text.size();
  const std::string_view token = current_.kind == Kind::End ? "<EOF>" : current_.text;
  const std::string_view near(begin, static_cast<std::size_t>(end - begin));
  return messages.error(std::string("Syntax error; token: \"")
                            .append(token)
                            .append("\", near: \"")
                            .append(near)
                            .append("\""),
                        Rule::Grammar, {token, near});
}

}  // namespace stator::expr
