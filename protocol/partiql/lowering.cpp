#include "protocol/partiql/lowering.h"

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/expression/resolution/paths.h"
#include "protocol/partiql/changes.h"
#include "protocol/partiql/operands.h"
#include "protocol/partiql/where.h"

namespace stator::partiql {
namespace {

class StatementLowering {
 public:
  StatementLowering(const Statement& statement, const Scope& scope)
      : statement_(statement), scope_(scope) {}

  Result<const Lowered*> lower() {
    // The service accepts more parameters than `?`, but not fewer.
    if (scope_.parameters.size() < statement_.parameters) {
      return Error::validation("Number of parameters in request and statement don't match.");
    }
    lowered_.kind = statement_.kind;
    STATOR_CHECK(lower_from());
    if (statement_.has_alias) return Error::validation("Aliasing is not supported");
    if (!statement_.unknown.empty()) {
      return Error::validation(std::string("Unsupported clause: ")
                                   .append(statement_.unknown.front().name)
                                   .append(" at ")
                                   .append(position_text(statement_.unknown.front().at)));
    }
    if (auto shape = lower_shape(); !shape) {
      const bool waits = lowered_.index && statement_.kind == Statement::Kind::Select;
      if (!waits) return std::move(shape).error();
      STATOR_CHECK(check_values());
      lowered_.refusal = stored(shape.error(), scope_.arena);
    }
    return scope_.arena.make<Lowered>(lowered_);
  }

 private:
  Result<void> lower_shape() {
    STATOR_CHECK(lower_columns());
    if (statement_.value != nullptr) STATOR_CHECK(lower_inserted());
    if (!statement_.changes.empty()) {
      STATOR_TRY(lowered_.update, lower_changes(statement_.changes, scope_));
    }
    if (statement_.where != nullptr) {
      STATOR_TRY(lowered_.where, lower_condition(*statement_.where, scope_));
      lowered_.has_or = has_or(*statement_.where);
    }
    STATOR_CHECK(lower_order());
    STATOR_CHECK(check_returning());
    lowered_.returning = statement_.returning;
    return {};
  }

  // Checks the values alone, whose errors come before those of the shape.
  Result<void> check_values() const {
    for (const Node* node : statement_.projection) STATOR_CHECK(check_values(*node));
    if (statement_.where != nullptr) STATOR_CHECK(check_values(*statement_.where));
    return {};
  }

  Result<void> check_values(const Node& node) const {
    if (node.kind == Node::Kind::Path || node.kind == Node::Kind::Missing) return {};
    if (node.kind != Node::Kind::Call && node.kind != Node::Kind::Operation) {
      STATOR_CHECK(lower_value(node, scope_));
      return {};
    }
    for (const Node* child : node.children) {
      const bool is_choice = node.op == Operator::In && node.kind == Node::Kind::Operation &&
                             (child->kind == Node::Kind::List || child->kind == Node::Kind::Bag);
      if (!is_choice) STATOR_CHECK(check_values(*child));
      if (!is_choice) continue;
      for (const Node* choice : child->children) STATOR_CHECK(check_values(*choice));
    }
    return {};
  }

  // Lowers "T" or "T"."I".
  Result<void> lower_from() {
    const Node& from = *statement_.from;
    if (from.kind != Node::Kind::Path) return unexpected_path_component(from.at);
    for (const Step& step : from.steps) {
      if (step.kind != Step::Kind::Name) return unexpected_path_component(step.at);
      if (step.name.empty()) return Error::validation("Path component cannot be an empty string");
    }
    if (from.steps.size() > 2) {
      return Error::validation("A path may contain at most 2 components in the FROM clause");
    }
    lowered_.table = scope_.arena.copy(from.steps[0].name);
    if (from.steps.size() == 1) return {};
    if (statement_.kind == Statement::Kind::Insert) {
      return Error::validation(
          "FROM clause may only contain a single table name in data manipulation statements at " +
          position_text(from.at));
    }
    if (statement_.kind == Statement::Kind::Update || statement_.kind == Statement::Kind::Delete)
      return Error::validation("This operation is not supported on an index");
    lowered_.index = scope_.arena.copy(from.steps[1].name);
    return {};
  }

  Result<void> lower_columns() {
    if (statement_.projection.empty()) return {};
    std::vector<Column> columns;
    std::vector<expr::Path> paths;
    for (const Node* node : statement_.projection) {
      if (node->kind != Node::Kind::Path) return unexpected_path_component(node->at);
      STATOR_TRY(const expr::Path path, lower_path(*node, scope_));
      const std::string_view name = scope_.arena.copy(std::string_view(column_name(path)));
      const bool is_repeated = std::any_of(columns.begin(), columns.end(),
                                           [&](const Column& other) { return other.name == name; });
      if (is_repeated) {
        return Error::validation(
            std::string("Duplicate identifiers in select clause: ").append(name));
      }
      columns.push_back({name, path});
      paths.push_back(path);
    }
    Arena& arena = scope_.arena;
    lowered_.columns = arena.copy(std::span<const Column>(columns));
    const auto kept = arena.copy(std::span<const expr::Path>(paths));
    lowered_.projection = arena.make<expr::Projection>(kept, expr::sort_paths(kept, arena));
    return {};
  }

  // The last name of a path, with the indexes that follow it.
  static std::string column_name(expr::Path path) {
    std::size_t last = path.size() - 1;
    while (path[last].is_index) --last;
    std::string name(path[last].name);
    for (const expr::PathElement& element : path.subspan(last + 1))
      name.append("[").append(std::to_string(element.index)).append("]");
    return name;
  }

  Result<void> lower_inserted() {
    if (statement_.value->kind != Node::Kind::Map) {
      return Error::validation("The value of an INSERT statement must be a map at " +
                               position_text(statement_.value->at));
    }
    STATOR_TRY(lowered_.item, lower_item(*statement_.value, scope_));
    return {};
  }

  Result<void> lower_order() {
    if (statement_.order.empty()) return {};
    if (statement_.where == nullptr) {
      return Error::validation(
          "Must have WHERE clause in the statement when using ORDER BY clause.");
    }
    std::vector<SortKey> keys;
    for (const OrderKey& key : statement_.order) {
      if (key.key->kind != Node::Kind::Path) return unexpected_path_component(key.key->at);
      STATOR_TRY(const expr::Path path, lower_path(*key.key, scope_));
      const std::string_view name =
          path.size() == 1 ? path[0].name : scope_.arena.copy(std::string_view(column_name(path)));
      keys.push_back({name, key.is_descending});
    }
    lowered_.order = scope_.arena.copy(std::span<const SortKey>(keys));
    return {};
  }

  Result<void> check_returning() const {
    if (statement_.kind != Statement::Kind::Delete || !statement_.returning) return {};
    const Returning& returning = *statement_.returning;
    if (returning.is_all && returning.is_old) return {};
    return Error::validation(
        std::string("Invalid returning clause: RETURNING ")
            .append(returning.is_all ? "ALL " : "MODIFIED ")
            .append(returning.is_old ? "OLD" : "NEW")
            .append(" *. Only RETURNING ALL OLD * is allowed in DELETE statements."));
  }

  static bool has_or(const Node& node) {
    if (node.kind != Node::Kind::Operation) return false;
    if (node.op == Operator::Or) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [](const Node* child) { return has_or(*child); });
  }

  const Statement& statement_;
  const Scope& scope_;
  Lowered lowered_;
};

}  // namespace

Result<const Lowered*> lower(const Statement& statement, std::span<const Value> parameters,
                             Arena& arena) {
  const Scope scope{parameters, arena};
  return StatementLowering(statement, scope).lower();
}

}  // namespace stator::partiql
