// The grammar of ConditionExpression, FilterExpression and KeyConditionExpression.
#include <optional>
#include <string>
#include <vector>

#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/text_parser.h"

namespace stator::expr {
namespace {

using Kind = Token::Kind;

std::optional<Comparator> find_comparator(Kind kind) {
  if (kind < Kind::Equal || kind > Kind::GreaterEqual) return std::nullopt;
  static_assert(static_cast<int>(Kind::GreaterEqual) - static_cast<int>(Kind::Equal) ==
                static_cast<int>(Comparator::GreaterEqual));
  return static_cast<Comparator>(static_cast<int>(kind) - static_cast<int>(Kind::Equal));
}

class ConditionParser final : private TextParser {
 public:
  ConditionParser(std::string_view text, const Messages& messages, Arena& arena)
      : TextParser(text, Language::Condition, messages, arena) {}

  Result<ParsedCondition> parse() {
    STATOR_CHECK(check_size());
    STATOR_TRY(const Term term, parse_or(/*may_be_operand=*/false));
    STATOR_CHECK(check_end());
    STATOR_CHECK(check_functions());
    STATOR_CHECK(check_paths());
    return ParsedCondition{term.condition, operators_, too_many_in_operands_};
  }

 private:
  // What a parenthesis may start with: a whole condition, or an operand whose comparator follows
  // the closing parenthesis.
  struct Term {
    Condition* condition = nullptr;  // or nullptr:
    Operand operand;
    bool is_parenthesised = false;
  };

  Condition* make(Condition node) { return arena().make<Condition>(node); }

  Result<Term> parse_or(bool may_be_operand) {
    STATOR_TRY(Term first, parse_and(may_be_operand));
    if (current().kind != Kind::Or) return first;
    std::vector<Condition*> children = {first.condition};
    while (accept(Kind::Or)) {
      ++operators_;
      STATOR_TRY(const Term next, parse_and(/*may_be_operand=*/false));
      children.push_back(next.condition);
    }
    return Term{make({.kind = Condition::Kind::Or, .children = keep(children)}), {}, false};
  }

  Result<Term> parse_and(bool may_be_operand) {
    STATOR_TRY(Term first, parse_not(may_be_operand));
    if (current().kind != Kind::And) return first;
    std::vector<Condition*> children = {first.condition};
    while (accept(Kind::And)) {
      ++operators_;
      STATOR_TRY(const Term next, parse_not(/*may_be_operand=*/false));
      children.push_back(next.condition);
    }
    return Term{make({.kind = Condition::Kind::And, .children = keep(children)}), {}, false};
  }

  Result<Term> parse_not(bool may_be_operand) {
    std::size_t count = 0;
    while (accept(Kind::Not)) ++count;
    operators_ += count;
    STATOR_TRY(Term term, parse_primary(may_be_operand && count == 0));
    for (std::size_t i = 0; i < count; ++i) {
      const auto child = arena().allocate_array<Condition*>(1);
      child[0] = term.condition;
      term = Term{make({.kind = Condition::Kind::Not, .children = child}), {}, false};
    }
    return term;
  }

  // A condition; or, if it may be and a closing parenthesis follows, an operand. Redundant
  // parentheses around an operand wait for the token in the comparator's place.
  Result<Term> parse_primary(bool may_be_operand) {
    Term term;
    if (current().kind == Kind::LeftParenthesis) {
      STATOR_CHECK(open());
      STATOR_TRY(term, parse_or(/*may_be_operand=*/true));
      STATOR_CHECK(close());
      note_parentheses(term.is_parenthesised);
      term.is_parenthesised = true;
      if (term.condition != nullptr) {
        STATOR_CHECK(check_parentheses());
        return term;
      }
    } else {
      STATOR_TRY(term.operand, parse_operand_whole());
    }
    const Kind kind = current().kind;
    if (find_comparator(kind) || kind == Kind::Between || kind == Kind::In) {
      STATOR_CHECK(check_parentheses());
      STATOR_TRY(Condition* const node, parse_operator(term.operand));
      return Term{node, {}, false};
    }
    if (may_be_operand && kind == Kind::RightParenthesis) return term;
    if (term.operand.kind != Operand::Kind::Computed) return syntax_error();
    STATOR_CHECK(check_parentheses());
    note_use(*term.operand.call, /*as_operand=*/false);
    term.condition = make({.kind = Condition::Kind::Test, .call = term.operand.call});
    return term;
  }

  // Parses the operator at the current token and its right side.
  Result<Condition*> parse_operator(const Operand& left) {
    note_argument(left);
    ++operators_;
    std::vector<Operand> operands = {left};
    const Kind kind = current().kind;
    advance();
    if (kind == Kind::In) {
      if (current().kind != Kind::LeftParenthesis) return syntax_error();
      STATOR_CHECK(parse_operands(operands));
      const std::size_t count = operands.size() - 1;
      if (count > kInOperandsMax && too_many_in_operands_ == 0) too_many_in_operands_ = count;
      return make({.kind = Condition::Kind::In, .operands = keep(operands)});
    }
    STATOR_CHECK(parse_next_operand(operands));
    if (kind != Kind::Between) {
      return make({.kind = Condition::Kind::Compare,
                   .comparator = *find_comparator(kind),
                   .operands = keep(operands)});
    }
    STATOR_CHECK(expect(Kind::And));
    STATOR_CHECK(parse_next_operand(operands));
    return make({.kind = Condition::Kind::Between, .operands = keep(operands)});
  }

  Result<void> parse_next_operand(std::vector<Operand>& operands) {
    STATOR_TRY(const Operand operand, parse_operand());
    note_argument(operand);
    operands.push_back(operand);
    return {};
  }

  void note_argument(const Operand& operand) override {
    if (operand.kind == Operand::Kind::Computed) note_use(*operand.call, /*as_operand=*/true);
  }

  // Only size() returns a value, and size() is no condition.
  void note_use(const Call& call, bool as_operand) {
    if (call.function == Function::Unknown) return;
    if ((call.function == Function::Size) != as_operand) note_misuse(call);
  }

  std::size_t operators_ = 0;
  std::size_t too_many_in_operands_ = 0;
};

}  // namespace

Result<ParsedCondition> parse_condition_text(std::string_view text, const Messages& messages,
                                             Arena& arena) {
  return ConditionParser(text, messages, arena).parse();
}

}  // namespace stator::expr
