#include "protocol/partiql/statement_lexer.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "protocol/partiql/keywords.h"

namespace stator::partiql {
namespace {

using Kind = Token::Kind;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_word(char c) { return is_word_start(c) || is_digit(c); }
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

// The service's decimal stores the exponent of its last digit in 32 bits.
bool has_readable_exponent(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = digits.find('.');
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view text = number.substr(e + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    using Limits = std::numeric_limits<std::int32_t>;
    if (exponent < Limits::min() || exponent > Limits::max()) return false;
  }
  if (point != std::string_view::npos)
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
  using Limits = std::numeric_limits<std::int32_t>;
  return exponent >= -Limits::max() && exponent <= Limits::max();
}

class Scanner {
 public:
  Scanner(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (;;) {
      if (!skip_blanks()) return not_well_formed("");
      const std::size_t begin = offset_;
      Token token;
      token.at = place();
      if (offset_ == text_.size()) {
        tokens.push_back(token);
        return tokens;
      }
      if (!read(token)) return not_well_formed("");
      const std::string_view written = text_.substr(begin, offset_ - begin);
      token.at.length = static_cast<std::uint32_t>(
          std::count_if(written.begin(), written.end(), begins_character));
      if (token.text.data() == nullptr) token.text = written;
      tokens.push_back(token);
    }
  }

 private:
  Position place() const { return {line_, column_, 0}; }
  char at(std::size_t ahead) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }

  void take(std::size_t count = 1) {
    for (; count > 0 && offset_ < text_.size(); --count, ++offset_) {
      if (text_[offset_] == '\n') {
        ++line_;
        column_ = 1;
      } else if (begins_character(text_[offset_])) {
        ++column_;
      }
    }
  }

  // Returns false if a comment has no end.
  bool skip_blanks() {
    for (;;) {
      if (offset_ < text_.size() && is_space(at(0))) {
        take();
      } else if (at(0) == '-' && at(1) == '-') {
        while (offset_ < text_.size() && at(0) != '\n') take();
      } else if (at(0) == '/' && at(1) == '*') {
        const std::size_t end = text_.find("*/", offset_ + 2);
        if (end == std::string_view::npos) return false;
        take(end + 2 - offset_);
      } else {
        return true;
      }
    }
  }

  bool read(Token& token) {
    const char first = at(0);
    if (is_word_start(first)) return read_word(token);
    if (is_digit(first) || (first == '.' && is_digit(at(1)))) return read_number(token);
    if (first == '\'') return read_quoted(token, '\'', Kind::String);
    if (first == '"') return read_quoted(token, '"', Kind::QuotedIdentifier);
    return read_sign(token);
  }

  bool read_word(Token& token) {
    const std::size_t begin = offset_;
    while (is_word(at(0))) take();
    const std::string_view word = text_.substr(begin, offset_ - begin);
    const std::string_view keyword = find_keyword(word);
    token.kind = keyword.empty() ? Kind::Identifier : Kind::Keyword;
    token.text = keyword.empty() ? word : keyword;
    return true;
  }

  bool read_number(Token& token) {
    const std::size_t begin = offset_;
    while (is_digit(at(0))) take();
    if (at(0) == '.') {
      take();
      while (is_digit(at(0))) take();
    }
    if (at(0) == 'e' || at(0) == 'E') {
      take();
      if (at(0) == '+' || at(0) == '-') take();
      if (!is_digit(at(0))) return false;
      while (is_digit(at(0))) take();
    }
    if (is_word(at(0))) return false;
    token.kind = Kind::Number;
    token.text = text_.substr(begin, offset_ - begin);
    return has_readable_exponent(token.text);
  }

  // Two quotes stand for the quote itself.
  bool read_quoted(Token& token, char quote, Kind kind) {
    take();
    const std::size_t begin = offset_;
    bool has_escapes = false;
    for (;; take()) {
      if (offset_ >= text_.size()) return false;
      if (at(0) != quote) continue;
      if (at(1) != quote) break;
      has_escapes = true;
      take();
    }
    token.kind = kind;
    token.text = text_.substr(begin, offset_ - begin);
    take();
    if (!has_escapes) return true;
    std::string plain;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
      plain.push_back(token.text[i]);
      if (token.text[i] == quote) ++i;
    }
    token.text = arena_.copy(std::string_view(plain));
    return true;
  }

  bool read_sign(Token& token) {
    for (const std::string_view sign : {"<<", ">>", "<>", "!=", "<=", ">=", "||"}) {
      if (!text_.substr(offset_).starts_with(sign)) continue;
      token.kind = sign == "<<" ? Kind::LeftBag : sign == ">>" ? Kind::RightBag : Kind::Operator;
      take(2);
      return true;
    }
    constexpr std::string_view kSigns = "()[]{}.,:;?*=<>+-/%";
    constexpr Kind kKinds[] = {
        Kind::LeftParenthesis, Kind::RightParenthesis, Kind::LeftBracket, Kind::RightBracket,
        Kind::LeftBrace,       Kind::RightBrace,       Kind::Dot,         Kind::Comma,
        Kind::Colon,           Kind::Semicolon,        Kind::Parameter,   Kind::Star,
        Kind::Operator,        Kind::Operator,         Kind::Operator,    Kind::Operator,
        Kind::Operator,        Kind::Operator,         Kind::Operator};
    const std::size_t found = kSigns.find(at(0));
    if (found == std::string_view::npos) return false;
    token.kind = kKinds[found];
    take();
    return true;
  }

  const std::string_view text_;
  Arena& arena_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text, Arena& arena) {
  return Scanner(text, arena).run();
}

Error not_well_formed(std::string_view reason) {
  return Error::validation(
      std::string("Statement wasn't well formed, can't be processed: ").append(reason));
}

std::string position_text(Position position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ":" +
         std::to_string(position.length);
}

}  // namespace stator::partiql
