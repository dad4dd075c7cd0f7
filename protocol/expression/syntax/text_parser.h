// Shared by the grammars of conditions, projections and updates: tokens, document paths, operands,
// and the errors of a text with valid syntax.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/lexer.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

class TextParser {
 public:
  TextParser(const TextParser&) = delete;
  TextParser& operator=(const TextParser&) = delete;

 protected:
  // The grammar; it decides which functions are allowed.
  enum class Language : std::uint8_t { Condition, Projection, Update };

  TextParser(std::string_view text, Language language, const Messages& messages, Arena& arena)
      : text_(text), language_(language), messages_(messages), arena_(arena), lexer_(text) {}
  virtual ~TextParser() = default;

  // Call first.
  Result<void> check_size() const;
  Result<void> check_end() const;
  // To be called in the order of the language, when the syntax is right.
  Result<void> check_functions() const;
  Result<void> check_paths() const;

  Error error(std::string_view text, Rule rule,
              std::initializer_list<std::string_view> values = {}) const {
    return messages_.error(text, rule, values);
  }
  Error syntax_error() const { return lexer_.syntax_error(messages_); }

  const Token& current() const { return lexer_.current(); }
  void advance() { lexer_.advance(); }
  bool accept(Token::Kind kind);
  Result<void> expect(Token::Kind kind);

  Result<Path> parse_path();
  Result<Operand> parse_operand();
  // Like parse_operand, but redundant parentheses wait for the end of the operand, so that a syntax
  // error inside it wins. Calls in updates are always read so.
  Result<Operand> parse_operand_whole();
  // Reads a parenthesised list and appends its operands. REQUIRES: the current token is the opening
  // parenthesis.
  Result<void> parse_operands(std::vector<Operand>& operands);

  // Called for each operand that is an argument of a function or a candidate of IN.
  virtual void note_argument(const Operand& operand) = 0;
  // Records a pair when it closes; check_parentheses() reports it. A syntax error before that call
  // wins, one after it does not.
  void note_parentheses(bool are_redundant) { has_redundant_parentheses_ |= are_redundant; }
  // Does nothing inside an operand that is parsed whole.
  Result<void> check_parentheses() const;
  // A function that is known, but may not stand where it does. The leftmost is reported.
  void note_misuse(const Call& call);

  template <class T>
  std::span<T> keep(const std::vector<T>& nodes) {
    return arena_.copy(std::span<const T>(nodes));
  }
  Arena& arena() { return arena_; }

 private:
  // A parenthesis or function that is not closed yet.
  struct OpenOperand {
    bool is_redundant = false;  // of a parenthesis
    Call* call = nullptr;       // of a function, with its arguments so far
    std::vector<Operand> arguments = {};
  };

  bool shows_size() const;
  bool is_known(Function function) const;
  std::string known_functions() const;  // joined by commas
  Error redundant_parentheses() const;
  void open_operands(std::vector<OpenOperand>& open);
  Call* open_call();
  Result<Operand> parse_plain_operand();
  Result<bool> continue_operand(OpenOperand& open, Operand& operand);
  Result<void> parse_name(std::vector<PathElement>& elements);
  Result<void> parse_index(std::vector<PathElement>& elements);

  const std::string_view text_;
  const Language language_;
  const Messages& messages_;
  Arena& arena_;
  Lexer lexer_;
  std::size_t whole_operands_ = 0;  // that are open
  // The first parts of the text to complain about.
  bool has_redundant_parentheses_ = false;
  const Call* wrong_function_ = nullptr;
  std::string_view misused_function_;
  std::string_view reserved_word_;
  std::string_view wrong_index_;
};

}  // namespace stator::expr
