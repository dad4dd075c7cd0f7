#include "protocol/partiql/statement_parser.h"

#include <utility>
#include <vector>

#include "protocol/partiql/expression_parser.h"
#include "protocol/partiql/statement_lexer.h"

namespace stator::partiql {
namespace {

using Kind = Token::Kind;

class StatementParser {
 public:
  StatementParser(std::span<const Token> tokens, Arena& arena) : in_(tokens, arena) {}

  Result<const Statement*> parse() {
    STATOR_CHECK(parse_verb());
    in_.accept(Kind::Semicolon);
    if (!in_.current().is(Kind::End)) return not_well_formed("Unexpected token after expression");
    statement_.parameters = in_.parameters();
    return in_.arena().make<Statement>(statement_);
  }

 private:
  Result<void> parse_verb() {
    const Token first = in_.current();
    if (!first.is(Kind::Keyword)) return parse_no_verb();
    if (first.text == "select") return parse_select();
    if (first.text == "exists") return parse_exists();
    if (first.text == "insert") return parse_insert();
    if (first.text == "update") return parse_update();
    if (first.text == "delete") return parse_delete();
    if (first.text == "from") return parse_from_first();
    return not_well_formed("Expected data manipulation");
  }

  // In PartiQL an expression is a statement; in the service it is not.
  Result<void> parse_no_verb() {
    const auto expression = in_.parse_expression();
    const bool is_type_test = expression && (*expression)->kind == Node::Kind::Operation &&
                              (*expression)->op == Operator::Is;
    in_.accept(Kind::Semicolon);
    if (!is_type_test || !in_.current().is(Kind::End))
      return not_well_formed("Expected data manipulation");
    return Error::validation("Unsupported operation: IsType");
  }

  Result<void> parse_select() {
    in_.advance();
    if (!in_.accept(Kind::Star)) STATOR_CHECK(parse_projection());
    if (!in_.accept_keyword("from")) return not_well_formed("Expected FROM after SELECT list");
    STATOR_TRY(statement_.from, in_.parse_expression());
    parse_alias();
    STATOR_CHECK(parse_where());
    STATOR_CHECK(parse_order());
    return parse_unknown();
  }

  Result<void> parse_projection() {
    std::vector<const Node*> columns;
    do {
      STATOR_TRY(const Node* column, in_.parse_expression());
      columns.push_back(column);
      parse_alias();
    } while (in_.accept(Kind::Comma));
    statement_.projection = in_.keep(columns);
    return {};
  }

  Result<void> parse_exists() {
    in_.advance();
    if (!in_.accept(Kind::LeftParenthesis) || !in_.current().is_keyword("select"))
      return not_well_formed("Unexpected keyword");
    STATOR_CHECK(parse_select());
    statement_.kind = Statement::Kind::Exists;
    if (!in_.accept(Kind::RightParenthesis)) return not_well_formed("Expected RIGHT_PAREN");
    return {};
  }

  Result<void> parse_insert() {
    statement_.kind = Statement::Kind::Insert;
    in_.advance();
    if (!in_.accept_keyword("into")) return not_well_formed("Unexpected keyword");
    STATOR_TRY(statement_.from, in_.parse_simple_path());
    if (in_.accept_keyword("value")) {
      STATOR_TRY(statement_.value, in_.parse_expression());
      return {};
    }
    if (in_.current().is_identifier()) return not_well_formed("Unexpected token after expression");
    if (in_.current().is(Kind::End)) return not_well_formed("Unexpected term");
    return not_well_formed("Unexpected keyword");
  }

  Result<void> parse_update() {
    statement_.kind = Statement::Kind::Update;
    in_.advance();
    STATOR_TRY(statement_.from, in_.parse_simple_path());
    parse_alias();
    STATOR_CHECK(parse_changes());
    STATOR_CHECK(parse_where());
    return parse_returning();
  }

  Result<void> parse_from_first() {
    statement_.kind = Statement::Kind::Update;
    in_.advance();
    STATOR_TRY(statement_.from, in_.parse_simple_path());
    parse_alias();
    STATOR_CHECK(parse_where());
    STATOR_CHECK(parse_changes());
    return parse_returning();
  }

  Result<void> parse_delete() {
    statement_.kind = Statement::Kind::Delete;
    in_.advance();
    if (!in_.accept_keyword("from")) return not_well_formed("Unexpected keyword");
    STATOR_TRY(statement_.from, in_.parse_simple_path());
    parse_alias();
    STATOR_CHECK(parse_where());
    return parse_returning();
  }

  void parse_alias() {
    if (in_.current().is_keyword("as") && in_.following().is_identifier()) in_.advance();
    if (!in_.current().is_identifier()) return;
    statement_.has_alias = true;
    in_.advance();
  }

  Result<void> parse_where() {
    if (!in_.accept_keyword("where")) return {};
    STATOR_TRY(statement_.where, in_.parse_expression());
    return {};
  }

  // Parses ORDER BY key [ASC|DESC] {, …}
  Result<void> parse_order() {
    if (!in_.current().is_keyword("order")) return {};
    in_.advance();
    if (!in_.accept_keyword("by")) return not_well_formed("Unexpected keyword");
    std::vector<OrderKey> keys;
    do {
      OrderKey key;
      STATOR_TRY(key.key, in_.parse_expression());
      key.is_descending = in_.accept_keyword("desc");
      if (!key.is_descending) in_.accept_keyword("asc");
      keys.push_back(key);
    } while (in_.accept(Kind::Comma));
    statement_.order = in_.keep(keys);
    return {};
  }

  // Parses LIMIT and similar clauses to their end; lowering rejects them.
  Result<void> parse_unknown() {
    std::vector<UnknownClause> clauses;
    for (;;) {
      const Token word = in_.current();
      const bool is_group = word.is_keyword("group");
      if (!is_group && !word.is_keyword("limit") && !word.is_keyword("having")) {
        statement_.unknown = in_.keep(clauses);
        return {};
      }
      in_.advance();
      if (is_group && !in_.accept_keyword("by")) return not_well_formed("Unexpected keyword");
      const Position at = in_.current().at;
      std::vector<const Node*> values;
      do {
        STATOR_TRY(values.emplace_back(), in_.parse_expression());
      } while (is_group && in_.accept(Kind::Comma));
      const std::string_view name = is_group                   ? "GROUP BY"
                                    : word.is_keyword("limit") ? "LIMIT"
                                                               : "HAVING";
      clauses.push_back({name, at, in_.keep(values)});
    }
  }

  // Parses SET path = value {, path = value} and REMOVE path, any number of either.
  Result<void> parse_changes() {
    std::vector<Change> changes;
    for (;;) {
      if (in_.accept_keyword("set")) {
        do {
          STATOR_TRY(const Change change, parse_assignment());
          changes.push_back(change);
        } while (in_.accept(Kind::Comma));
      } else if (in_.accept_keyword("remove")) {
        Change change;
        STATOR_TRY(change.target, in_.parse_simple_path());
        changes.push_back(change);
      } else {
        break;
      }
    }
    if (changes.empty()) return not_well_formed("Expected data manipulation");
    statement_.changes = in_.keep(changes);
    return {};
  }

  Result<Change> parse_assignment() {
    Change change;
    STATOR_TRY(change.target, in_.parse_simple_path());
    if (!in_.current().is(Kind::Operator) || in_.current().text != "=")
      return not_well_formed("Expected '=' in assignment");
    in_.advance();
    STATOR_TRY(change.value, in_.parse_expression());
    return change;
  }

  Result<void> parse_returning() {
    if (!in_.accept_keyword("returning")) return {};
    Returning returning;
    STATOR_TRY(returning.is_all, parse_choice("all", "modified"));
    STATOR_TRY(returning.is_old, parse_choice("old", "new"));
    if (!in_.accept(Kind::Star)) return not_well_formed("Expected returning clause");
    statement_.returning = returning;
    return {};
  }

  // Reads which of two words comes next.
  Result<bool> parse_choice(std::string_view yes, std::string_view no) {
    std::string word(in_.current().text);
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool is_word = in_.current().is(Kind::Keyword) || in_.current().is(Kind::Identifier);
    if (!is_word || (word != yes && word != no))
      return not_well_formed("Expected returning clause");
    in_.advance();
    return word == yes;
  }

  ExpressionParser in_;
  Statement statement_;
};

}  // namespace

Result<const Statement*> parse_statement(std::string_view text, Arena& arena) {
  STATOR_TRY(const std::vector<Token> tokens, tokenize(text, arena));
  return StatementParser(tokens, arena).parse();
}

}  // namespace stator::partiql
