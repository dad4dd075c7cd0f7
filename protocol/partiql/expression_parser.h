// The grammar of expressions: literals, paths, functions, operators by precedence.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/statement_lexer.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

class ExpressionParser {
 public:
  // Both must outlive the parser; the last of `tokens` is End.
  ExpressionParser(std::span<const Token> tokens, Arena& arena) : tokens_(tokens), arena_(arena) {}

  const Token& current() const { return tokens_[next_]; }
  const Token& following() const { return tokens_[next_ + 1 < tokens_.size() ? next_ + 1 : next_]; }
  void advance() {
    if (next_ + 1 < tokens_.size()) ++next_;
  }
  bool accept(Token::Kind kind);
  bool accept_keyword(std::string_view word);

  Result<const Node*> parse_expression() { return parse_operation(0); }
  // Parses a name with its steps; any other expression is an error.
  Result<const Node*> parse_simple_path();

  // Number of `?` so far.
  std::size_t parameters() const { return parameters_; }

  template <class T>
  std::span<T const> keep(const std::vector<T>& nodes) {
    return arena_.copy(std::span<const T>(nodes));
  }
  Arena& arena() { return arena_; }

 private:
  class Level;
  struct Infix {
    Operator op;
    int precedence;
    bool is_negated;
    std::size_t tokens;
  };

  bool find_infix(Infix& found) const;
  Result<const Node*> parse_operation(int precedence);
  Result<const Node*> parse_right_side(const Node* left, const Infix& infix, Position at);
  Result<const Node*> parse_joined(const Node* left, const Infix& infix, Position at);
  Result<const Node*> parse_between(const Node* left, const Infix& infix, Position at);
  Result<const Node*> parse_type_test(const Node* left, const Infix& infix, Position at);
  Result<const Node*> parse_operand(const Infix& infix);
  Result<const Node*> parse_prefix();
  Result<const Node*> parse_not();
  Result<const Node*> parse_signed();
  Result<const Node*> parse_path_term();
  Result<const Node*> parse_steps(const Node* head);
  Result<void> parse_dot(std::vector<Step>& steps);
  Result<const Node*> parse_term();
  Result<const Node*> parse_keyword();
  Result<const Node*> parse_name();
  Result<const Node*> parse_group();
  Result<const Node*> parse_call(std::string_view name, Position at);
  Result<const Node*> parse_map();
  // Reads up to and including `end`. REQUIRES: the opening bracket was read.
  Result<std::span<const Node* const>> parse_list(Token::Kind end);
  Result<const Node*> parse_collection(Node::Kind kind, Token::Kind end);

  const Node* make(const Node& node) { return arena_.make<Node>(node); }
  const Node* take_literal(Node::Kind kind, bool is_true = false);
  const Node* operation(const Infix& infix, Position at, const std::vector<const Node*>& operands);

  std::span<const Token> tokens_;
  Arena& arena_;
  std::size_t next_ = 0;
  std::size_t depth_ = 0;
  std::size_t parameters_ = 0;
};

}  // namespace stator::partiql
