#include "protocol/partiql/statement_printer.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace stator::partiql {
namespace {

constexpr std::array<std::string_view, 19> kOperators = {
    "OR", "AND",  "NOT", "=", "<>", "<", "<=", ">", ">=", "BETWEEN",
    "IN", "LIKE", "IS",  "+", "-",  "*", "/",  "%", "||"};

void append_quoted(std::string& out, std::string_view text, char quote) {
  out.push_back(quote);
  for (const char c : text) {
    if (c == quote) out.push_back(quote);
    out.push_back(c);
  }
  out.push_back(quote);
}

void append_nodes(std::string& out, std::span<const Node* const> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out.append(", ");
    append_node(out, *nodes[i]);
  }
}

void append_map(std::string& out, const Node& node) {
  out.push_back('{');
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    if (i > 0) out.append(", ");
    append_node(out, *node.children[i]);
    out.append(": ");
    append_node(out, *node.children[i + 1]);
  }
  out.push_back('}');
}

void append_path(std::string& out, const Node& node) {
  for (std::size_t i = 0; i < node.steps.size(); ++i) {
    const Step& step = node.steps[i];
    switch (step.kind) {
      case Step::Kind::Name:
        if (i > 0) out.push_back('.');
        append_quoted(out, step.name, '"');
        break;
      case Step::Kind::Star:
        out.append(".*");
        break;
      case Step::Kind::Index:
        out.push_back('[');
        append_node(out, *step.index);
        out.push_back(']');
        break;
    }
  }
}

void append_operation(std::string& out, const Node& node, bool is_bare);

// Prints operations in parentheses unless `is_bare`. A bare operand must not begin with a
// parenthesis, because after IN that would be a list. It was parsed without one, so it is parsed
// the same again.
void append_operand(std::string& out, const Node& node, bool is_bare = false) {
  if (node.kind != Node::Kind::Operation) return append_node(out, node);
  if (is_bare) return append_operation(out, node, is_bare);
  out.push_back('(');
  append_node(out, node);
  out.push_back(')');
}

// Whether it begins with an operation that binds no tighter than IN.
bool is_loose(const Node& node) {
  if (node.kind != Node::Kind::Operation || node.op == Operator::Not) return false;
  if (node.op < Operator::Plus) return true;
  return node.children.size() > 1 && is_loose(*node.children[0]);
}

// Prints the operand after IN. A parenthesis there is a list, so operations are bare. A loose one
// came after two NOTs, which cancel out.
void append_searched(std::string& out, const Node& node) {
  const bool needs_nots = is_loose(node);
  if (needs_nots) out.append("NOT NOT ");
  append_operand(out, node, /*is_bare=*/!needs_nots);
}

void append_operation(std::string& out, const Node& node, bool is_bare) {
  const std::string_view text = kOperators[static_cast<std::size_t>(node.op)];
  const auto operands = node.children;
  if (node.op == Operator::Is) {
    append_operand(out, *operands[0], is_bare);
    out.append(node.is_negated ? " IS NOT " : " IS ").append(node.text);
    return;
  }
  if (operands.size() == 1) {
    out.append(text).append(node.op == Operator::Not ? " " : "");
    return append_operand(out, *operands[0]);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) {
      const bool is_second_bound = node.op == Operator::Between && i == 2;
      out.append(node.is_negated && !is_second_bound ? " NOT " : " ");
      out.append(is_second_bound ? "AND" : text).push_back(' ');
    }
    if (i > 0 && node.op == Operator::In) {
      append_searched(out, *operands[i]);
    } else {
      append_operand(out, *operands[i], i == 0 && is_bare);
    }
  }
}

void append_changes(std::string& out, const Statement& statement) {
  for (const Change& change : statement.changes) {
    out.append(change.value != nullptr ? " SET " : " REMOVE ");
    append_node(out, *change.target);
    if (change.value == nullptr) continue;
    out.append(" = ");
    append_node(out, *change.value);
  }
}

// The tree records only whether the source has an alias.
void append_source(std::string& out, const Statement& statement) {
  append_operand(out, *statement.from);
  if (statement.has_alias) out.append(" AS alias");
}

void append_select(std::string& out, const Statement& statement) {
  out.append("SELECT ");
  if (statement.projection.empty()) out.push_back('*');
  append_nodes(out, statement.projection);
  out.append(" FROM ");
  append_source(out, statement);
}

void append_order(std::string& out, const Statement& statement) {
  for (std::size_t i = 0; i < statement.order.size(); ++i) {
    out.append(i > 0 ? ", " : " ORDER BY ");
    append_node(out, *statement.order[i].key);
    out.append(statement.order[i].is_descending ? " DESC" : " ASC");
  }
}

void append_verb(std::string& out, const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::Exists:
      out.append("EXISTS(");
      [[fallthrough]];
    case Statement::Kind::Select:
      return append_select(out, statement);
    case Statement::Kind::Insert:
      out.append("INSERT INTO ");
      append_node(out, *statement.from);
      out.append(" VALUE ");
      return append_node(out, *statement.value);
    case Statement::Kind::Update:
      out.append("UPDATE ");
      append_source(out, statement);
      return append_changes(out, statement);
    case Statement::Kind::Delete:
      out.append("DELETE FROM ");
      return append_source(out, statement);
  }
}

}  // namespace

void append_node(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      out.append("NULL");
      return;
    case Node::Kind::Missing:
      out.append("MISSING");
      return;
    case Node::Kind::Boolean:
      out.append(node.is_true ? "TRUE" : "FALSE");
      return;
    case Node::Kind::Number:
      out.append(node.is_negative ? "-" : "").append(node.text);
      return;
    case Node::Kind::String:
      return append_quoted(out, node.text, '\'');
    case Node::Kind::Parameter:
      out.push_back('?');
      return;
    case Node::Kind::Path:
      return append_path(out, node);
    case Node::Kind::List:
      out.push_back('[');
      append_nodes(out, node.children);
      out.push_back(']');
      return;
    case Node::Kind::Bag:
      out.append("<<");
      append_nodes(out, node.children);
      out.append(">>");
      return;
    case Node::Kind::Map:
      return append_map(out, node);
    case Node::Kind::Call:
      append_quoted(out, node.text, '"');
      out.push_back('(');
      append_nodes(out, node.children);
      out.push_back(')');
      return;
    case Node::Kind::Operation:
      return append_operation(out, node, /*is_bare=*/false);
  }
}

void append_statement(std::string& out, const Statement& statement) {
  append_verb(out, statement);
  if (statement.where != nullptr) {
    out.append(" WHERE ");
    append_node(out, *statement.where);
  }
  append_order(out, statement);
  for (const UnknownClause& clause : statement.unknown) {
    out.append(" ").append(clause.name).append(" ");
    append_nodes(out, clause.values);
  }
  if (statement.returning) {
    out.append(statement.returning->is_all ? " RETURNING ALL" : " RETURNING MODIFIED");
    out.append(statement.returning->is_old ? " OLD *" : " NEW *");
  }
  if (statement.kind == Statement::Kind::Exists) out.push_back(')');
}

}  // namespace stator::partiql
