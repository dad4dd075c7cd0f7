#include "protocol/expression/syntax/text_parser.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "protocol/errors/rule.h"
#include "protocol/expression/syntax/function_names.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/reserved_words.h"

namespace stator::expr {
namespace {

using Kind = Token::Kind;

// Saturates just above the range.
std::uint64_t parse_digits(std::string_view digits) {
  std::uint64_t index = 0;
  for (const char digit : digits) {
    index = index * 10 + static_cast<std::uint64_t>(digit - '0');
    if (index > kListIndexMax) return kListIndexMax + 1;
  }
  return index;
}

}  // namespace

Result<void> TextParser::check_size() const {
  if (text_.empty()) return error("The expression can not be empty;", Rule::ExpressionNotEmpty);
  if (text_.size() <= kExpressionBytesMax) return {};
  std::string size;
  if (shows_size()) size = "expression size: " + std::to_string(text_.size());
  return error(
      "Expression size has exceeded the maximum allowed size;" + (size.empty() ? "" : " " + size),
      Rule::ExpressionSize, {size});
}

// True for conditions and filters in operations that have not moved to the new text.
bool TextParser::shows_size() const {
  return language_ == Language::Condition && messages_.parameter != "KeyConditionExpression" &&
         !messages_.wording.omits_expression_size;
}

Result<void> TextParser::check_end() const {
  if (current().kind == Kind::End) return {};
  return syntax_error();
}

Error TextParser::redundant_parentheses() const {
  return error("The expression has redundant parentheses;", Rule::Parentheses);
}

Result<void> TextParser::check_parentheses() const {
  if (has_redundant_parentheses_ && whole_operands_ == 0) return redundant_parentheses();
  return {};
}

Result<void> TextParser::check_functions() const {
  if (wrong_function_ != nullptr) {
    const std::string_view name = wrong_function_->name;
    if (wrong_function_->function == Function::Unknown) {
      return error(std::string("Invalid function name; function: ").append(name),
                   Rule::FunctionName, {name, known_functions()});
    }
    return error(
        std::string(language_ == Language::Update
                        ? "The function is not allowed in an update expression; function: "
                        : "The function is not allowed in a condition expression; function: ")
            .append(name),
        Rule::None);
  }
  if (!misused_function_.empty()) {
    return error(
        std::string("The function is not allowed to be used this way in an expression; function: ")
            .append(misused_function_),
        Rule::FunctionPlace, {misused_function_});
  }
  return {};
}

Result<void> TextParser::check_paths() const {
  if (!reserved_word_.empty()) {
    return error(std::string("Attribute name is a reserved keyword; reserved keyword: ")
                     .append(reserved_word_),
                 Rule::ReservedWord, {reserved_word_});
  }
  if (!wrong_index_.empty()) {
    const std::string index = std::string("[").append(wrong_index_).append("]");
    return error("List index is not within the allowable range; index: " + index, Rule::ListIndex,
                 {index});
  }
  return {};
}

bool TextParser::accept(Kind kind) {
  if (current().kind != kind) return false;
  advance();
  return true;
}

Result<void> TextParser::expect(Kind kind) {
  if (accept(kind)) return {};
  return syntax_error();
}

Result<void> TextParser::parse_operands(std::vector<Operand>& operands) {
  advance();
  do {
    STATOR_TRY(const Operand operand, parse_operand());
    note_argument(operand);
    operands.push_back(operand);
  } while (accept(Kind::Comma));
  return expect(Kind::RightParenthesis);
}

Result<Operand> TextParser::parse_operand() {
  std::vector<OpenOperand> open;
  while (true) {
    open_operands(open);
    STATOR_TRY(Operand operand, parse_plain_operand());
    bool is_complete = true;
    while (is_complete && !open.empty()) {
      STATOR_TRY(is_complete, continue_operand(open.back(), operand));
      if (is_complete) open.pop_back();
    }
    if (open.empty()) return operand;
  }
}

// Reads the parentheses and names of functions before an operand.
void TextParser::open_operands(std::vector<OpenOperand>& open) {
  while (true) {
    if (current().kind == Kind::LeftParenthesis) {
      advance();
      open.push_back({.is_redundant = current().kind == Kind::LeftParenthesis});
    } else if (current().kind == Kind::Identifier && lexer_.next().kind == Kind::LeftParenthesis) {
      open.push_back({.call = open_call()});
    } else {
      return;
    }
  }
}

Call* TextParser::open_call() {
  const std::string_view name = current().text;
  Call* const call = arena_.make<Call>(find_function(name), name);
  if (wrong_function_ == nullptr && !is_known(call->function)) wrong_function_ = call;
  if (language_ == Language::Update) ++whole_operands_;
  advance();
  advance();
  return call;
}

Result<Operand> TextParser::parse_plain_operand() {
  if (current().kind == Kind::ValuePlaceholder) {
    const Operand operand{.kind = Operand::Kind::Constant, .placeholder = current().text};
    advance();
    return operand;
  }
  STATOR_TRY(const Path path, parse_path());
  return Operand{.kind = Operand::Kind::Attribute, .path = path};
}

// What follows an operand inside `open`. True if that is closed and `operand` is what it stands
// for; false if a further argument follows.
Result<bool> TextParser::continue_operand(OpenOperand& open, Operand& operand) {
  if (open.call != nullptr) {
    note_argument(operand);
    open.arguments.push_back(operand);
    if (accept(Kind::Comma)) return false;
  }
  STATOR_CHECK(expect(Kind::RightParenthesis));
  if (open.call != nullptr) {
    if (language_ == Language::Update) --whole_operands_;
    open.call->operands = keep(open.arguments);
    operand = {.kind = Operand::Kind::Computed, .call = open.call};
  } else {
    note_parentheses(open.is_redundant);
  }
  STATOR_CHECK(check_parentheses());
  return true;
}

Result<Operand> TextParser::parse_operand_whole() {
  ++whole_operands_;
  STATOR_TRY(const Operand operand, parse_operand());
  --whole_operands_;
  STATOR_CHECK(check_parentheses());
  return operand;
}

bool TextParser::is_known(Function function) const {
  if (function == Function::Unknown) return false;
  const bool is_of_updates = function == Function::IfNotExists || function == Function::ListAppend;
  return is_of_updates == (language_ == Language::Update);
}

std::string TextParser::known_functions() const {
  std::string names;
  for (const auto& [name, function] : kFunctionNames) {
    if (is_known(function)) names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

Result<Path> TextParser::parse_path() {
  std::vector<PathElement> elements;
  STATOR_CHECK(parse_name(elements));
  while (true) {
    if (accept(Kind::Dot)) {
      STATOR_CHECK(parse_name(elements));
    } else if (accept(Kind::LeftBracket)) {
      STATOR_CHECK(parse_index(elements));
    } else {
      return keep(elements);
    }
  }
}

Result<void> TextParser::parse_name(std::vector<PathElement>& elements) {
  const Token token = current();
  if (token.kind == Kind::Identifier) {
    if (reserved_word_.empty() && is_reserved_word(token.text)) reserved_word_ = token.text;
  } else if (token.kind != Kind::NamePlaceholder) {
    return syntax_error();
  }
  elements.push_back({.text = token.text, .name = token.text});
  advance();
  return {};
}

Result<void> TextParser::parse_index(std::vector<PathElement>& elements) {
  const Token token = current();
  if (token.kind != Kind::Number) return syntax_error();
  const std::uint64_t index = parse_digits(token.text);
  if (wrong_index_.empty() && index > kListIndexMax) wrong_index_ = token.text;
  elements.push_back({.index = index, .is_index = true});
  advance();
  return expect(Kind::RightBracket);
}

void TextParser::note_misuse(const Call& call) {
  if (misused_function_.empty() || call.name.data() < misused_function_.data()) {
    misused_function_ = call.name;
  }
}

}  // namespace stator::expr
