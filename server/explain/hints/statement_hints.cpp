// Hints about PartiQL: SQL that DynamoDB's statements do not support.
#include <algorithm>
#include <string>

#include "protocol/memory/arena.h"
#include "protocol/partiql/statement_lexer.h"
#include "server/explain/hints/hints.h"

namespace stator {

namespace {

using partiql::Token;

// Limit of statements per request.
constexpr std::size_t kStatementsMax = 25;

std::vector<std::string_view> statements_of(const HintInput& hinted) {
  std::vector<std::string_view> statements;
  const auto add = [&statements](const JsonNode* node) {
    if (node == nullptr || node->kind() != JsonNode::Kind::Object) return;
    const JsonNode* const text = node->find("Statement");
    if (text != nullptr && text->kind() == JsonNode::Kind::String &&
        statements.size() < kStatementsMax)
      statements.push_back(text->text());
  };
  add(hinted.asked);
  for (const std::string_view member : {"Statements", "TransactStatements"}) {
    const JsonNode* const list = hinted.member(member);
    if (list == nullptr || list->kind() != JsonNode::Kind::Array) continue;
    for (const JsonNode& element : list->elements()) add(&element);
  }
  return statements;
}

bool is_word(const Token& token, std::string_view lower_case) {
  return (token.kind == Token::Kind::Identifier || token.kind == Token::Kind::Keyword) &&
         std::equal(token.text.begin(), token.text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) {
                      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
                    });
}

// Whether a value must follow the token: it is an operator, a ':' or part of a list.
bool is_before_value(const Token& token) {
  return token.is(Token::Kind::Operator) || token.is(Token::Kind::Colon) ||
         token.is(Token::Kind::LeftBracket);
}

std::string quoted_value_text(const std::vector<Token>& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is(Token::Kind::QuotedIdentifier) || !is_before_value(tokens[i - 1])) continue;
    const std::string_view text = tokens[i].text;
    return std::string("\"")
        .append(text)
        .append("\" in double quotes is the name of an attribute: a string is '")
        .append(text)
        .append("'");
  }
  return {};
}

std::string limit_text(const std::vector<Token>& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool has_count =
        tokens[i].is(Token::Kind::Number) || tokens[i].is(Token::Kind::Parameter);
    if (has_count && is_word(tokens[i - 1], "limit"))
      return "A statement has no LIMIT: send Limit=" +
             (tokens[i].is(Token::Kind::Number) ? std::string(tokens[i].text) : "N") +
             " beside Statement, which counts items before WHERE";
  }
  return {};
}

std::string aggregate_text(const std::vector<Token>& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is(Token::Kind::LeftParenthesis)) continue;
    if (is_word(tokens[i - 1], "count"))
      return "A statement has no COUNT: Query and Scan count with Select=COUNT";
    for (const std::string_view name : {"sum", "avg", "min", "max"}) {
      if (is_word(tokens[i - 1], name))
        return "A statement has no COUNT, SUM, AVG, MIN or MAX: compute it from the items";
    }
  }
  return {};
}

}  // namespace

void hint_at_statement(const HintInput& hinted, std::vector<std::string>& hints) {
  const RecentRequest& request = hinted.request;
  const bool found_nothing =
      request.walked.way != ReadStats::ReadKind::None && request.walked.items_matched == 0;
  if (!request.has_failed() && request.undone.parts == 0 && !found_nothing) return;
  for (const std::string_view statement : statements_of(hinted)) {
    Arena arena;
    const auto tokens = partiql::tokenize(statement, arena);
    if (!tokens) continue;
    std::string text = quoted_value_text(*tokens);
    if (text.empty()) text = limit_text(*tokens);
    if (text.empty()) text = aggregate_text(*tokens);
    if (text.empty()) continue;
    hints.push_back(std::move(text));
    return;
  }
}

}  // namespace stator
