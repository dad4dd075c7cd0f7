#include "protocol/expression/parser.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "protocol/expression/lexer.h"
#include "protocol/expression/reserved_words.h"

namespace stator::expr {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kRedundantParentheses = "The expression has redundant parentheses;";

constexpr std::array<std::pair<std::string_view, Function>, 6> kFunctions = {{
    {"attribute_exists", Function::AttributeExists},
    {"attribute_not_exists", Function::AttributeNotExists},
    {"attribute_type", Function::AttributeType},
    {"begins_with", Function::BeginsWith},
    {"contains", Function::Contains},
    {"size", Function::Size},
}};

Function find_function(std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (known == name) return function;
  }
  return Function::Unknown;
}

std::optional<Comparator> find_comparator(Kind kind) {
  if (kind < Kind::Equal || kind > Kind::GreaterEqual) return std::nullopt;
  static_assert(static_cast<int>(Kind::GreaterEqual) - static_cast<int>(Kind::Equal) ==
                static_cast<int>(Comparator::GreaterEqual));
  return static_cast<Comparator>(static_cast<int>(kind) - static_cast<int>(Kind::Equal));
}

constexpr std::uint64_t kIndexMax = std::numeric_limits<std::uint64_t>::max();

std::uint64_t parse_index(std::string_view digits) {
  std::uint64_t index = 0;
  for (const char digit : digits) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (index > (kIndexMax - value) / 10) return kIndexMax;
    index = index * 10 + value;
  }
  return index;
}

class Parser {
 public:
  Parser(std::string_view text, const Messages& messages, Arena& arena)
      : text_(text), messages_(messages), arena_(arena), lexer_(text) {}

  Result<ParsedCondition> condition() {
    STATOR_CHECK(check_size());
    STATOR_TRY(const Term term, parse_or(/*may_be_operand=*/false));
    STATOR_CHECK(check_end());
    STATOR_CHECK(check_text());
    return ParsedCondition{term.condition, operators_, too_many_in_operands_};
  }

  Result<std::vector<Path>> projection() {
    STATOR_CHECK(check_size());
    std::vector<Path> paths;
    do {
      STATOR_TRY(const Path path, parse_path());
      paths.push_back(path);
    } while (accept(Kind::Comma));
    STATOR_CHECK(check_end());
    STATOR_CHECK(check_text());
    return paths;
  }

 private:
  // What may stand at the start of a parenthesis: a whole condition, or an operand whose comparator
  // follows behind it.
  struct Term {
    Condition* condition = nullptr;  // or nullptr:
    Operand operand;
    bool is_parenthesised = false;
  };

  Result<void> check_size() const {
    if (text_.empty()) return messages_.error("The expression can not be empty;");
    if (text_.size() <= kExpressionBytesMax) return {};
    return messages_.error(
        std::string("Expression size has exceeded the maximum allowed size; expression size: ")
            .append(std::to_string(text_.size())));
  }

  Result<void> check_end() const {
    if (lexer_.current().kind == Kind::End) return {};
    return syntax_error();
  }

  // What a syntax error would have hidden, in the service's order.
  Result<void> check_text() const {
    if (has_redundant_parentheses_) return messages_.error(kRedundantParentheses);
    if (!wrong_function_.empty()) {
      const bool is_of_updates =
          wrong_function_ == "if_not_exists" || wrong_function_ == "list_append";
      return messages_.error(
          std::string(is_of_updates
                          ? "The function is not allowed in a condition expression; function: "
                          : "Invalid function name; function: ")
              .append(wrong_function_));
    }
    if (!misused_function_.empty()) {
      return messages_.error(
          std::string(
              "The function is not allowed to be used this way in an expression; function: ")
              .append(misused_function_));
    }
    if (!reserved_word_.empty()) {
      return messages_.error(std::string("Attribute name is a reserved keyword; reserved keyword: ")
                                 .append(reserved_word_));
    }
    return {};
  }

  Error syntax_error() const { return messages_.error(lexer_.syntax_error()); }

  bool accept(Kind kind) {
    if (lexer_.current().kind != kind) return false;
    lexer_.advance();
    return true;
  }

  Result<void> expect(Kind kind) {
    if (accept(kind)) return {};
    return syntax_error();
  }

  // Opens a parenthesis: too deep a text could only be refused later.
  Result<void> open() {
    if (++depth_ > kNestingMax) return messages_.error(kRedundantParentheses);
    lexer_.advance();
    return {};
  }

  Result<void> close() {
    --depth_;
    return expect(Kind::RightParenthesis);
  }

  Condition* make(Condition node) { return arena_.make<Condition>(node); }

  template <class T>
  std::span<T> keep(const std::vector<T>& nodes) {
    return arena_.copy(std::span<const T>(nodes));
  }

  Result<Term> parse_or(bool may_be_operand) {
    STATOR_TRY(Term first, parse_and(may_be_operand));
    if (lexer_.current().kind != Kind::Or) return first;
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
    if (lexer_.current().kind != Kind::And) return first;
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
      const auto child = arena_.allocate_array<Condition*>(1);
      child[0] = term.condition;
      term = Term{make({.kind = Condition::Kind::Not, .children = child}), {}, false};
    }
    return term;
  }

  // A condition; or, if it may be and a closing parenthesis follows, an operand.
  Result<Term> parse_primary(bool may_be_operand) {
    Term term;
    if (lexer_.current().kind == Kind::LeftParenthesis) {
      STATOR_CHECK(open());
      STATOR_TRY(term, parse_or(/*may_be_operand=*/true));
      STATOR_CHECK(close());
      has_redundant_parentheses_ |= term.is_parenthesised;
      term.is_parenthesised = true;
      if (term.condition != nullptr) return term;
    } else {
      STATOR_TRY(term.operand, parse_operand());
    }
    const Kind kind = lexer_.current().kind;
    if (find_comparator(kind) || kind == Kind::Between || kind == Kind::In) {
      STATOR_TRY(Condition* const node, parse_operator(term.operand));
      return Term{node, {}, false};
    }
    if (may_be_operand && kind == Kind::RightParenthesis) return term;
    if (term.operand.kind != Operand::Kind::Computed) return syntax_error();
    note_use(*term.operand.call, /*as_operand=*/false);
    term.condition = make({.kind = Condition::Kind::Test, .call = term.operand.call});
    return term;
  }

  // The operator at the current token and what is right of it.
  Result<Condition*> parse_operator(const Operand& left) {
    note_use(left);
    ++operators_;
    std::vector<Operand> operands = {left};
    const Kind kind = lexer_.current().kind;
    lexer_.advance();
    if (kind == Kind::In) {
      if (lexer_.current().kind != Kind::LeftParenthesis) return syntax_error();
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
    note_use(operand);
    operands.push_back(operand);
    return {};
  }

  // A parenthesised list, of which there is the opening parenthesis.
  Result<void> parse_operands(std::vector<Operand>& operands) {
    STATOR_CHECK(open());
    do {
      STATOR_CHECK(parse_next_operand(operands));
    } while (accept(Kind::Comma));
    return close();
  }

  Result<Operand> parse_operand() {
    switch (lexer_.current().kind) {
      case Kind::LeftParenthesis: {
        STATOR_CHECK(open());
        has_redundant_parentheses_ |= lexer_.current().kind == Kind::LeftParenthesis;
        STATOR_TRY(Operand operand, parse_operand());
        STATOR_CHECK(close());
        return operand;
      }
      case Kind::ValuePlaceholder: {
        Operand operand{.kind = Operand::Kind::Constant, .placeholder = lexer_.current().text};
        lexer_.advance();
        return operand;
      }
      case Kind::Identifier:
        if (lexer_.next().kind == Kind::LeftParenthesis) return parse_call();
        [[fallthrough]];
      default: {
        STATOR_TRY(const Path path, parse_path());
        return Operand{.kind = Operand::Kind::Attribute, .path = path};
      }
    }
  }

  Result<Operand> parse_call() {
    const std::string_view name = lexer_.current().text;
    const Function function = find_function(name);
    if (function == Function::Unknown && wrong_function_.empty()) wrong_function_ = name;
    lexer_.advance();
    std::vector<Operand> operands;
    STATOR_CHECK(parse_operands(operands));
    Call* const call = arena_.make<Call>(function, name, keep(operands));
    return Operand{.kind = Operand::Kind::Computed, .call = call};
  }

  Result<Path> parse_path() {
    std::vector<PathElement> elements;
    STATOR_CHECK(parse_name(elements));
    while (true) {
      if (accept(Kind::Dot)) {
        STATOR_CHECK(parse_name(elements));
      } else if (accept(Kind::LeftBracket)) {
        if (lexer_.current().kind != Kind::Number) return syntax_error();
        elements.push_back({.index = parse_index(lexer_.current().text), .is_index = true});
        lexer_.advance();
        STATOR_CHECK(expect(Kind::RightBracket));
      } else {
        return keep(elements);
      }
    }
  }

  Result<void> parse_name(std::vector<PathElement>& elements) {
    const Token token = lexer_.current();
    if (token.kind == Kind::Identifier) {
      if (reserved_word_.empty() && is_reserved_word(token.text)) reserved_word_ = token.text;
    } else if (token.kind != Kind::NamePlaceholder) {
      return syntax_error();
    }
    elements.push_back({.text = token.text, .name = token.text});
    lexer_.advance();
    return {};
  }

  void note_use(const Operand& operand) {
    if (operand.kind == Operand::Kind::Computed) note_use(*operand.call, /*as_operand=*/true);
  }

  // Only size() has a value, and it is no condition. Keeps the leftmost offender.
  void note_use(const Call& call, bool as_operand) {
    if (call.function == Function::Unknown) return;
    if ((call.function == Function::Size) == as_operand) return;
    if (misused_function_.empty() || call.name.data() < misused_function_.data()) {
      misused_function_ = call.name;
    }
  }

  const std::string_view text_;
  const Messages& messages_;
  Arena& arena_;
  Lexer lexer_;
  std::size_t depth_ = 0;
  std::size_t operators_ = 0;
  std::size_t too_many_in_operands_ = 0;
  // Parts of the text to complain about, if it is otherwise well-formed.
  bool has_redundant_parentheses_ = false;
  std::string_view wrong_function_;
  std::string_view misused_function_;
  std::string_view reserved_word_;
};

}  // namespace

Result<ParsedCondition> parse_condition_text(std::string_view text, const Messages& messages,
                                             Arena& arena) {
  return Parser(text, messages, arena).condition();
}

Result<std::vector<Path>> parse_projection_text(std::string_view text, const Messages& messages,
                                                Arena& arena) {
  return Parser(text, messages, arena).projection();
}

}  // namespace stator::expr
