// The lexer alone; texts and trees are in tests/cases/protocol/syntax.cases.
#include <catch2/catch.hpp>

#include "protocol/expression/syntax/lexer.h"

namespace stator::expr {
namespace {

TEST_CASE("lexer: every kind of token", "[protocol][expression]") {
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
