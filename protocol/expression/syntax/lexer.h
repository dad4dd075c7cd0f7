// Expression text to tokens, one at a time, with the tokens around the current one: the service
// shows both neighbours in a syntax error (conformance/observed/expressions.md 3).
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/errors/error.h"
#include "protocol/expression/syntax/messages.h"

namespace stator::expr {

struct Token {
  enum class Kind : std::uint8_t {
    Identifier,
    NamePlaceholder,
    ValuePlaceholder,
    Number,
    // Keywords, in any letter case.
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    Dot,
    Comma,
    Other,  // a character that begins no token
    End,
  };

  Kind kind = Kind::End;
  std::string_view text;  // a part of the expression; empty at the end
};

class Lexer {
 public:
  // `text` must outlive the lexer and every token.
  explicit Lexer(std::string_view text);

  const Token& current() const { return current_; }
  const Token& next() const { return next_; }
  void advance();

  // `Syntax error; token: "…", near: "…"` about the current token.
  Error syntax_error(const Messages& messages) const;

 private:
  Token read();

  const std::string_view text_;
  std::size_t offset_ = 0;
  bool has_previous_ = false;
  Token previous_;
  Token current_;
  Token next_;
};

}  // namespace stator::expr
