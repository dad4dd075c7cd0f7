// What the grammars of conditions, projections and updates share: tokens, document paths, operands,
// and the complaints about a text that is otherwise well-formed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/lexer.h"
#include "protocol/expression/messages.h"
#include "protocol/result.h"

namespace stator::expr {

class TextParser {
 public:
  TextParser(const TextParser&) = delete;
  TextParser& operator=(const TextParser&) = delete;

 protected:
  // Which functions belong here.
  enum class Language : std::uint8_t { Condition, Projection, Update };

  TextParser(std::string_view text, Language language, const Messages& messages, Arena& arena)
      : text_(text), language_(language), messages_(messages), arena_(arena), lexer_(text) {}
  virtual ~TextParser() = default;

  // To be called first.
  Result<void> check_size() const;
  Result<void> check_end() const;
  // To be called in the order of the language, when the syntax is right.
  Result<void> check_parentheses() const;
  Result<void> check_functions() const;
  Result<void> check_paths() const;

  Error error(std::string_view text) const { return messages_.error(text); }
  Error syntax_error() const { return messages_.error(lexer_.syntax_error()); }

  const Token& current() const { return lexer_.current(); }
  void advance() { lexer_.advance(); }
  bool accept(Token::Kind kind);
  Result<void> expect(Token::Kind kind);
  // A parenthesis. Refuses what is nested too deep, which could only be refused later.
  Result<void> open();
  Result<void> close();

  Result<Path> parse_path();
  Result<Operand> parse_operand();
  // A parenthesised list, of which there is the opening parenthesis. Appends.
  Result<void> parse_operands(std::vector<Operand>& operands);

  // An operand that is an argument of a function or a candidate of IN.
  virtual void note_argument(const Operand& operand) = 0;
  void note_parentheses(bool are_redundant) { has_redundant_parentheses_ |= are_redundant; }
  // A function that is known, but may not stand where it does. The leftmost is reported.
  void note_misuse(const Call& call);

  template <class T>
  std::span<T> keep(const std::vector<T>& nodes) {
    return arena_.copy(std::span<const T>(nodes));
  }
  Arena& arena() { return arena_; }

 private:
  bool shows_size() const;
  bool is_known(Function function) const;
  Result<Operand> parse_call();
  Result<void> parse_name(std::vector<PathElement>& elements);
  Result<void> parse_index(std::vector<PathElement>& elements);

  const std::string_view text_;
  const Language language_;
  const Messages& messages_;
  Arena& arena_;
  Lexer lexer_;
  std::size_t depth_ = 0;
  // The first parts of the text to complain about.
  bool has_redundant_parentheses_ = false;
  const Call* wrong_function_ = nullptr;
  std::string_view misused_function_;
  std::string_view reserved_word_;
  std::string_view wrong_index_;
};

}  // namespace stator::expr
