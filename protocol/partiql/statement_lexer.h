// Converts statement text to tokens. Comments count as blanks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

struct Token {
  enum class Kind : std::uint8_t {
    Identifier,
    QuotedIdentifier,
    Keyword,
    String,
    Number,
    Operator,  // = <> != < <= > >= + - / % ||
    Star,
    Parameter,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftBag,
    RightBag,
    Dot,
    Comma,
    Colon,
    Semicolon,
    End,
  };

  Kind kind = Kind::End;
  // Keyword: in lower case; String and QuotedIdentifier: unquoted; otherwise as written.
  std::string_view text = {};
  Position at = {};

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_keyword(std::string_view word) const { return kind == Kind::Keyword && text == word; }
  bool is_identifier() const { return kind == Kind::Identifier || kind == Kind::QuotedIdentifier; }
};

// The last token is End. Tokens refer to `text` and to the arena. Errors if part of the text is no
// token.
Result<std::vector<Token>> tokenize(std::string_view text, Arena& arena);

// `Statement wasn't well formed, can't be processed: ` + reason.
Error not_well_formed(std::string_view reason);

}  // namespace stator::partiql
