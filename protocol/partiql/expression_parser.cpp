// A Pratt parser. Its errors are those of the language's reference implementation, which the
// service uses; which error a text gets depends on the order of that parser's checks.
#include "protocol/partiql/expression_parser.h"

#include <algorithm>
#include <array>

#include "protocol/partiql/keywords.h"

namespace stator::partiql {
namespace {

using Kind = Token::Kind;

constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kNot = 3;
constexpr int kTest = 4;  // comparisons, IS, IN, BETWEEN, LIKE
constexpr int kSum = 5;
constexpr int kProduct = 6;

struct Sign {
  std::string_view text;
  Operator op;
  int precedence;
};
constexpr std::array kSigns = {
    Sign{"=", Operator::Equal, kTest},         Sign{"<>", Operator::NotEqual, kTest},
    Sign{"!=", Operator::NotEqual, kTest},     Sign{"<", Operator::Less, kTest},
    Sign{"<=", Operator::LessEqual, kTest},    Sign{">", Operator::Greater, kTest},
    Sign{">=", Operator::GreaterEqual, kTest}, Sign{"+", Operator::Plus, kSum},
    Sign{"-", Operator::Minus, kSum},          Sign{"||", Operator::Concatenate, kSum},
    Sign{"/", Operator::Divide, kProduct},     Sign{"%", Operator::Modulo, kProduct},
};

struct Word {
  std::string_view text;
  Operator op;
};
constexpr std::array kTests = {Word{"in", Operator::In}, Word{"between", Operator::Between},
                               Word{"like", Operator::Like}};

constexpr std::array kTypes = std::to_array<std::string_view>(
    {"any",       "bag",     "bigint",  "blob",     "bool",      "boolean",  "char",
     "character", "clob",    "date",    "decimal",  "float",     "int",      "int2",
     "int4",      "int8",    "integer", "integer2", "integer4",  "integer8", "list",
     "map",       "missing", "null",    "numeric",  "real",      "sexp",     "smallint",
     "string",    "struct",  "symbol",  "time",     "timestamp", "tuple",    "varchar"});

// Compares words in any letter case.
bool is_same_word(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// `next` is the following word: two types have names of two words.
std::string_view find_type(std::string_view word, std::string_view next) {
  if (is_same_word(word, "double") && is_same_word(next, "precision")) return "double precision";
  if (is_same_word(word, "character") && is_same_word(next, "varying")) return "character varying";
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](std::string_view type) { return is_same_word(word, type); });
  return found == kTypes.end() ? std::string_view() : *found;
}

// Words that are operators where a term is expected.
bool is_operator_word(const Token& token) {
  constexpr std::array kWords = std::to_array<std::string_view>(
      {"and", "or", "in", "between", "like", "is", "union", "except", "intersect"});
  return token.is(Kind::Keyword) &&
         std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
}

}  // namespace

// One more level of nesting while it lives.
class ExpressionParser::Level {
 public:
  explicit Level(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  Result<void> check() const {
    if (parser_.depth_ > kNestingMax) return not_well_formed("");
    return {};
  }

 private:
  ExpressionParser& parser_;
};

bool ExpressionParser::accept(Kind kind) {
  if (!current().is(kind)) return false;
  advance();
  return true;
}

bool ExpressionParser::accept_keyword(std::string_view word) {
  if (!current().is_keyword(word)) return false;
  advance();
  return true;
}

bool ExpressionParser::find_infix(Infix& found) const {
  const Token& token = current();
  if (token.is(Kind::Star)) {
    found = {Operator::Times, kProduct, false, 1};
    return true;
  }
  if (token.is(Kind::Operator)) {
    for (const Sign& sign : kSigns) {
      if (token.text != sign.text) continue;
      found = {sign.op, sign.precedence, false, 1};
      return true;
    }
  }
  if (!token.is(Kind::Keyword)) return false;
  if (token.text == "or" || token.text == "and") {
    found = token.text == "or" ? Infix{Operator::Or, kOr, false, 1}
                               : Infix{Operator::And, kAnd, false, 1};
    return true;
  }
  if (token.text == "is") {
    const bool is_negated = following().is_keyword("not");
    found = {Operator::Is, kTest, is_negated, is_negated ? std::size_t{2} : std::size_t{1}};
    return true;
  }
  const bool is_negated = token.text == "not";
  const Token& word = is_negated ? following() : token;
  for (const Word& test : kTests) {
    if (!word.is_keyword(test.text)) continue;
    found = {test.op, kTest, is_negated, is_negated ? std::size_t{2} : std::size_t{1}};
    return true;
  }
  return false;
}

Result<const Node*> ExpressionParser::parse_operation(int precedence) {
  const Level level(*this);
  STATOR_CHECK(level.check());
  STATOR_TRY(const Node* left, parse_prefix());
  Infix infix{};
  while (find_infix(infix) && infix.precedence > precedence) {
    const Position at = current().at;
    for (std::size_t i = 0; i < infix.tokens; ++i) advance();
    STATOR_TRY(left, parse_right_side(left, infix, at));
  }
  return left;
}

Result<const Node*> ExpressionParser::parse_right_side(const Node* left, const Infix& infix,
                                                       Position at) {
  switch (infix.op) {
    case Operator::And:
    case Operator::Or:
      return parse_joined(left, infix, at);
    case Operator::Between:
      return parse_between(left, infix, at);
    case Operator::Is:
      return parse_type_test(left, infix, at);
    case Operator::In:
      if (current().is(Kind::LeftParenthesis)) {
        Node list{.kind = Node::Kind::List, .at = current().at};
        advance();
        STATOR_TRY(list.children, parse_list(Kind::RightParenthesis));
        return operation(infix, at, {left, make(list)});
      }
      break;
    default:
      break;
  }
  STATOR_TRY(const Node* right, parse_operand(infix));
  return operation(infix, at, {left, right});
}

// a AND b AND c is one node; parentheses make more.
Result<const Node*> ExpressionParser::parse_joined(const Node* left, const Infix& infix,
                                                   Position at) {
  std::vector<const Node*> operands = {left};
  const std::string_view word = infix.op == Operator::And ? "and" : "or";
  do {
    STATOR_TRY(const Node* right, parse_operand(infix));
    operands.push_back(right);
  } while (accept_keyword(word));
  return operation(infix, at, operands);
}

Result<const Node*> ExpressionParser::parse_between(const Node* left, const Infix& infix,
                                                    Position at) {
  STATOR_TRY(const Node* lower, parse_operand(infix));
  if (!accept_keyword("and")) return not_well_formed("Expected AND after BETWEEN");
  STATOR_TRY(const Node* upper, parse_operand(infix));
  return operation(infix, at, {left, lower, upper});
}

Result<const Node*> ExpressionParser::parse_type_test(const Node* left, const Infix& infix,
                                                      Position at) {
  const bool may_have_two = following().is(Kind::Keyword) || following().is(Kind::Identifier);
  const std::string_view type =
      find_type(current().text, may_have_two ? following().text : std::string_view());
  const bool may_be_type = current().is(Kind::Keyword) || current().is(Kind::Identifier);
  if (!may_be_type || type.empty()) return not_well_formed("Expected type name");
  advance();
  if (type.find(' ') != std::string_view::npos) advance();
  Node node{.kind = Node::Kind::Operation, .at = at, .text = type};
  node.op = Operator::Is;
  node.is_negated = infix.is_negated;
  node.children = keep(std::vector<const Node*>{left});
  return make(node);
}

Result<const Node*> ExpressionParser::parse_operand(const Infix& infix) {
  if (current().is(Kind::End))
    return not_well_formed("Missing right-hand side expression of infix operator");
  return parse_operation(infix.precedence);
}

Result<const Node*> ExpressionParser::parse_prefix() {
  if (current().is_keyword("not")) return parse_not();
  if (current().is(Kind::Operator) && (current().text == "-" || current().text == "+"))
    return parse_signed();
  return parse_path_term();
}

Result<const Node*> ExpressionParser::parse_not() {
  std::vector<Position> places;
  while (current().is_keyword("not")) {
    places.push_back(current().at);
    advance();
  }
  STATOR_TRY(const Node* node, parse_operation(kNot));
  // Two NOTs cancel out.
  if (places.size() % 2 == 0) return node;
  return operation({Operator::Not, kNot, false, 1}, places.front(), {node});
}

// Signs become part of the number that follows.
Result<const Node*> ExpressionParser::parse_signed() {
  const Position at = current().at;
  bool is_negative = false;
  while (current().is(Kind::Operator) && (current().text == "-" || current().text == "+")) {
    is_negative = is_negative != (current().text == "-");
    advance();
  }
  STATOR_TRY(const Node* term, parse_path_term());
  if (term->kind != Node::Kind::Number) {
    const Operator op = is_negative ? Operator::Minus : Operator::Plus;
    return operation({op, kProduct, false, 1}, at, {term});
  }
  if (!is_negative) return term;
  Node number = *term;
  number.is_negative = !term->is_negative;
  return make(number);
}

Result<const Node*> ExpressionParser::parse_path_term() {
  STATOR_TRY(const Node* term, parse_term());
  if (term->kind != Node::Kind::Path) return term;
  return parse_steps(term);
}

Result<const Node*> ExpressionParser::parse_simple_path() {
  if (!current().is_identifier()) return not_well_formed("Expected identifier for simple path");
  STATOR_TRY(const Node* name, parse_name());
  if (name->kind != Node::Kind::Path) return name;  // a function, which lowering rejects
  return parse_steps(name);
}

Result<const Node*> ExpressionParser::parse_steps(const Node* head) {
  if (!current().is(Kind::Dot) && !current().is(Kind::LeftBracket)) return head;
  std::vector<Step> steps(head->steps.begin(), head->steps.end());
  for (;;) {
    if (current().is(Kind::Dot)) {
      STATOR_CHECK(parse_dot(steps));
    } else if (current().is(Kind::LeftBracket)) {
      advance();
      Step step{.kind = Step::Kind::Index, .at = current().at};
      if (current().is(Kind::Star)) {
        step.kind = Step::Kind::Star;
        advance();
      } else {
        STATOR_TRY(step.index, parse_expression());
        step.at = step.index->at;
      }
      if (!accept(Kind::RightBracket)) return not_well_formed("Expected RIGHT_BRACKET");
      steps.push_back(step);
    } else {
      Node path = *head;
      path.steps = keep(steps);
      return make(path);
    }
  }
}

Result<void> ExpressionParser::parse_dot(std::vector<Step>& steps) {
  advance();
  const Token& token = current();
  if (!token.is_identifier() && !token.is(Kind::Star))
    return not_well_formed("Invalid path dot component");
  const Step::Kind kind = token.is(Kind::Star) ? Step::Kind::Star : Step::Kind::Name;
  steps.push_back({.kind = kind, .name = token.text, .at = token.at});
  advance();
  return {};
}

Result<const Node*> ExpressionParser::parse_term() {
  switch (current().kind) {
    case Kind::Operator:
    case Kind::Star:
      return not_well_formed("Unexpected operator");
    case Kind::Keyword:
      return parse_keyword();
    case Kind::LeftParenthesis:
      return parse_group();
    case Kind::LeftBracket:
      return parse_collection(Node::Kind::List, Kind::RightBracket);
    case Kind::LeftBag:
      return parse_collection(Node::Kind::Bag, Kind::RightBag);
    case Kind::LeftBrace:
      return parse_map();
    case Kind::Identifier:
    case Kind::QuotedIdentifier:
      return parse_name();
    case Kind::String:
      return take_literal(Node::Kind::String);
    case Kind::Number:
      return take_literal(Node::Kind::Number);
    case Kind::Parameter: {
      Node node{.kind = Node::Kind::Parameter, .at = current().at};
      node.place = parameters_++;
      advance();
      return make(node);
    }
    default:
      return not_well_formed("Unexpected term");
  }
}

Result<const Node*> ExpressionParser::parse_keyword() {
  const Token word = current();
  if (word.text == "null") return take_literal(Node::Kind::Null);
  if (word.text == "missing") return take_literal(Node::Kind::Missing);
  if (word.text == "true") return take_literal(Node::Kind::Boolean, true);
  if (word.text == "false") return take_literal(Node::Kind::Boolean, false);
  if (is_operator_word(word)) return not_well_formed("Unexpected operator");
  if (is_function_keyword(word.text) && following().is(Kind::LeftParenthesis)) {
    advance();
    return parse_call(word.text, word.at);
  }
  return not_well_formed("Unexpected keyword");
}

const Node* ExpressionParser::take_literal(Node::Kind kind, bool is_true) {
  Node node{.kind = kind, .at = current().at, .text = current().text};
  node.is_true = is_true;
  advance();
  return make(node);
}

// Parses a name, or a function if a parenthesis follows.
Result<const Node*> ExpressionParser::parse_name() {
  const Token name = current();
  advance();
  if (current().is(Kind::LeftParenthesis)) return parse_call(name.text, name.at);
  const Step step{.kind = Step::Kind::Name, .name = name.text, .at = name.at};
  Node node{.kind = Node::Kind::Path, .at = name.at};
  node.steps = keep(std::vector<Step>{step});
  return make(node);
}

// One expression in parentheses is itself, several are a list.
Result<const Node*> ExpressionParser::parse_group() {
  Node list{.kind = Node::Kind::List, .at = current().at};
  advance();
  STATOR_TRY(list.children, parse_list(Kind::RightParenthesis));
  if (list.children.size() == 1) return list.children.front();
  if (list.children.empty()) return not_well_formed("Expression group cannot be empty");
  return make(list);
}

Result<const Node*> ExpressionParser::parse_call(std::string_view name, Position at) {
  Node node{.kind = Node::Kind::Call, .at = at, .text = name};
  advance();
  // The `*` of COUNT(*).
  if (current().is(Kind::Star) && following().is(Kind::RightParenthesis)) advance();
  STATOR_TRY(node.children, parse_list(Kind::RightParenthesis));
  return make(node);
}

Result<std::span<const Node* const>> ExpressionParser::parse_list(Kind end) {
  std::vector<const Node*> nodes;
  if (accept(end)) return keep(nodes);
  do {
    STATOR_TRY(const Node* node, parse_expression());
    nodes.push_back(node);
  } while (accept(Kind::Comma));
  if (!accept(end)) {
    return not_well_formed(end == Kind::RightParenthesis ? "Expected RIGHT_PAREN"
                           : end == Kind::RightBracket   ? "Expected RIGHT_BRACKET"
                                                         : "Expected RIGHT_DOUBLE_ANGLE_BRACKET");
  }
  return keep(nodes);
}

Result<const Node*> ExpressionParser::parse_collection(Node::Kind kind, Kind end) {
  Node node{.kind = kind, .at = current().at};
  advance();
  STATOR_TRY(node.children, parse_list(end));
  return make(node);
}

Result<const Node*> ExpressionParser::parse_map() {
  Node node{.kind = Node::Kind::Map, .at = current().at};
  advance();
  std::vector<const Node*> members;
  if (!accept(Kind::RightBrace)) {
    do {
      STATOR_TRY(const Node* key, parse_expression());
      members.push_back(key);
      if (!accept(Kind::Colon)) return not_well_formed("Expected COLON");
      STATOR_TRY(const Node* value, parse_expression());
      members.push_back(value);
    } while (accept(Kind::Comma));
    if (!accept(Kind::RightBrace)) return not_well_formed("Expected RIGHT_CURLY");
  }
  node.children = keep(members);
  return make(node);
}

const Node* ExpressionParser::operation(const Infix& infix, Position at,
                                        const std::vector<const Node*>& operands) {
  Node node{.kind = Node::Kind::Operation, .at = at};
  node.op = infix.op;
  node.is_negated = infix.is_negated;
  node.children = keep(operands);
  return make(node);
}

}  // namespace stator::partiql
