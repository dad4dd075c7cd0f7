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
    STATOR_TRY(Condition* const root, parse_condition());
    STATOR_CHECK(check_end());
    STATOR_CHECK(check_functions());
    STATOR_CHECK(check_paths());
    return ParsedCondition{root, operators_, too_many_in_operands_};
  }

 private:
  // What stands between parentheses: a whole condition, or an operand whose comparator follows the
  // closing parenthesis.
  struct Term {
    Condition* condition = nullptr;  // or nullptr:
    Operand operand = {};
    bool is_parenthesised = false;
  };

  // What is read of the whole text, or since a parenthesis that is still open.
  struct Level {
    std::vector<Condition*> alternatives = {};  // each with an OR behind it
    std::vector<Condition*> conjuncts = {};     // of the next alternative, each with an AND
    std::size_t nots = 0;                       // of the next conjunct

    bool is_at_start() const { return alternatives.empty() && conjuncts.empty() && nots == 0; }
  };

  Condition* make(Condition node) { return arena().make<Condition>(node); }

  Result<Condition*> parse_condition() {
    std::vector<Level> levels(1);
    while (true) {
      open_levels(levels);
      Term term;
      STATOR_TRY(term.operand, parse_operand_whole());
      while (true) {
        const bool may_be_operand = levels.size() > 1 && levels.back().is_at_start();
        if (term.condition == nullptr) STATOR_CHECK(parse_comparison(term, may_be_operand));
        if (term.condition != nullptr && is_continued(levels.back(), term)) break;
        levels.pop_back();
        if (levels.empty()) return term.condition;
        STATOR_CHECK(close(term));
      }
    }
  }

  // Reads what stands before an operand.
  void open_levels(std::vector<Level>& levels) {
    while (true) {
      if (accept(Kind::Not)) {
        ++levels.back().nots;
        ++operators_;
      } else if (accept(Kind::LeftParenthesis)) {
        levels.emplace_back();
      } else {
        return;
      }
    }
  }

  // Makes a condition of an operand and what follows. It stays an operand if it may and a closing
  // parenthesis follows. Redundant parentheses around an operand wait for the token in the
  // comparator's place.
  Result<void> parse_comparison(Term& term, bool may_be_operand) {
    const Kind kind = current().kind;
    if (find_comparator(kind) || kind == Kind::Between || kind == Kind::In) {
      STATOR_CHECK(check_parentheses());
      STATOR_TRY(term.condition, parse_operator(term.operand));
      term.is_parenthesised = false;
      return {};
    }
    if (may_be_operand && kind == Kind::RightParenthesis) return {};
    if (term.operand.kind != Operand::Kind::Computed) return syntax_error();
    STATOR_CHECK(check_parentheses());
    note_use(*term.operand.call, /*as_operand=*/false);
    term.condition = make({.kind = Condition::Kind::Test, .call = term.operand.call});
    return {};
  }

  // Adds a condition to its level: true if AND or OR follows. Otherwise the level is complete, and
  // `term` is all of it.
  bool is_continued(Level& level, Term& term) {
    for (; level.nots > 0; --level.nots) combine(Condition::Kind::Not, {}, term);
    if (is_kept(Kind::And, level.conjuncts, term)) return true;
    if (!level.conjuncts.empty()) combine(Condition::Kind::And, level.conjuncts, term);
    level.conjuncts.clear();
    if (is_kept(Kind::Or, level.alternatives, term)) return true;
    if (!level.alternatives.empty()) combine(Condition::Kind::Or, level.alternatives, term);
    return false;
  }

  // Keeps a condition that the connective follows.
  bool is_kept(Kind connective, std::vector<Condition*>& conditions, const Term& term) {
    if (!accept(connective)) return false;
    ++operators_;
    conditions.push_back(term.condition);
    return true;
  }

  // Makes one node of `conditions` and the term.
  void combine(Condition::Kind kind, std::vector<Condition*> conditions, Term& term) {
    conditions.push_back(term.condition);
    term = {.condition = make({.kind = kind, .children = keep(conditions)})};
  }

  Result<void> close(Term& term) {
    STATOR_CHECK(expect(Kind::RightParenthesis));
    note_parentheses(term.is_parenthesised);
    term.is_parenthesised = true;
    return term.condition != nullptr ? check_parentheses() : Result<void>();
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
