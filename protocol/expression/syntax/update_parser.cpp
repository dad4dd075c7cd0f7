// The grammar of UpdateExpression.
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/text_parser.h"

namespace stator::expr {
namespace {

using Kind = Token::Kind;
using Arithmetic = SetAction::Arithmetic;

class UpdateParser final : private TextParser {
 public:
  UpdateParser(std::string_view text, const Messages& messages, Arena& arena)
      : TextParser(text, Language::Update, messages, arena) {}

  Result<Update*> parse() {
    STATOR_CHECK(check_size());
    do {
      STATOR_CHECK(parse_section());
    } while (current().kind != Kind::End);
    STATOR_CHECK(check_paths());
    STATOR_CHECK(check_functions());
    if (!repeated_section_.empty()) {
      return error(std::string("The \"")
                       .append(repeated_section_)
                       .append("\" section can only be used once in an update expression;"),
                   Rule::SectionOnce, {repeated_section_});
    }
    return arena().make<Update>(keep(sets_), keep(removes_), keep(adds_), keep(deletes_),
                                keep(targets_));
  }

 private:
  // The right side of `=` in SET: one operand or two.
  struct SetValue {
    Operand left;
    Arithmetic arithmetic = Arithmetic::None;
    Operand right = {};
    bool is_parenthesised = false;
  };

  Result<void> parse_section() {
    const Kind kind = current().kind;
    if (kind < Kind::Set || kind > Kind::Delete) return syntax_error();
    note_section(kind);
    advance();
    do {
      STATOR_TRY(const Path target, parse_path());
      targets_.push_back(target);
      if (kind == Kind::Remove) {
        removes_.push_back(target);
      } else if (kind == Kind::Set) {
        STATOR_CHECK(expect(Kind::Equal));
        STATOR_TRY(const SetValue value, parse_set_value());
        sets_.push_back({target, value.left, value.arithmetic, value.right});
      } else {
        if (current().kind != Kind::ValuePlaceholder) return syntax_error();
        STATOR_TRY(const Operand operand, parse_operand());
        (kind == Kind::Add ? adds_ : deletes_).push_back({target, operand});
      }
    } while (accept(Kind::Comma));
    return {};
  }

  Result<SetValue> parse_set_value() {
    std::size_t open = 0;  // parentheses
    for (; accept(Kind::LeftParenthesis); ++open) {
    }
    SetValue value;
    STATOR_TRY(value.left, parse_operand());
    while (true) {
      if (value.arithmetic == Arithmetic::None) STATOR_CHECK(parse_arithmetic(value));
      if (open == 0) return value;
      --open;
      STATOR_CHECK(expect(Kind::RightParenthesis));
      note_parentheses(value.is_parenthesised);
      STATOR_CHECK(check_parentheses());
      value.is_parenthesised = true;
    }
  }

  // The operator behind `value.left`, if there is one, and what follows it.
  Result<void> parse_arithmetic(SetValue& value) {
    const Kind kind = current().kind;
    if (kind != Kind::Plus && kind != Kind::Minus) return {};
    advance();
    value.arithmetic = kind == Kind::Plus ? Arithmetic::Plus : Arithmetic::Minus;
    STATOR_TRY(value.right, parse_operand());
    value.is_parenthesised = false;
    return {};
  }

  // The service accepts if_not_exists() as an argument, but not list_append().
  void note_argument(const Operand& operand) override {
    if (operand.kind != Operand::Kind::Computed) return;
    if (operand.call->function == Function::ListAppend) note_misuse(*operand.call);
  }

  void note_section(Kind kind) {
    constexpr std::array<std::string_view, 4> kNames = {"SET", "REMOVE", "ADD", "DELETE"};
    const auto section = static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::Set);
    if (has_section_[section] && repeated_section_.empty()) repeated_section_ = kNames[section];
    has_section_[section] = true;
  }

  std::vector<SetAction> sets_;
  std::vector<Path> removes_;
  std::vector<ValueAction> adds_;
  std::vector<ValueAction> deletes_;
  std::vector<Path> targets_;
  std::array<bool, 4> has_section_ = {};
  std::string_view repeated_section_;
};

}  // namespace

Result<Update*> parse_update_text(std::string_view text, const Messages& messages, Arena& arena) {
  return UpdateParser(text, messages, arena).parse();
}

}  // namespace stator::expr
