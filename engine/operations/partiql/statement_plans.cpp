#include "engine/operations/partiql/statement_plans.h"

#include <array>
#include <string>
#include <utility>

#include "engine/items/item_keys.h"
#include "protocol/errors/rule.h"
#include "protocol/partiql/where.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

using expr::Condition;
using partiql::Lowered;
using Kind = partiql::Statement::Kind;

struct KeyTest {
  std::string_view attribute;
  const Value* value;
};

// Matches name = value, in either order, or name IN [value].
std::optional<KeyTest> key_test(const Condition& condition, bool may_be_in) {
  const bool is_equal =
      condition.kind == Condition::Kind::Compare && condition.comparator == expr::Comparator::Equal;
  const bool is_in = may_be_in && condition.kind == Condition::Kind::In;
  if ((!is_equal && !is_in) || condition.operands.size() != 2) return std::nullopt;
  const expr::Operand* path = &condition.operands[0];
  const expr::Operand* constant = &condition.operands[1];
  if (is_equal && path->kind == expr::Operand::Kind::Constant) std::swap(path, constant);
  if (path->kind != expr::Operand::Kind::Attribute || path->path.size() != 1) return std::nullopt;
  if (constant->kind != expr::Operand::Kind::Constant) return std::nullopt;
  return KeyTest{path->path[0].name, &constant->value};
}

class KeyFinder {
 public:
  KeyFinder(const Table& table, bool takes_first, bool may_be_in, Arena& arena)
      : table_(table), takes_first_(takes_first), may_be_in_(may_be_in), arena_(arena) {}

  StatementKey find(Condition* where) {
    if (where != nullptr) visit(where);
    if (key_.flaw == StatementKey::KeyProblem::None && !has_all())
      key_.flaw = StatementKey::KeyProblem::NotGiven;
    if (key_.flaw == StatementKey::KeyProblem::None) key_.key = attributes();
    return key_;
  }

 private:
  const KeyAttribute* attribute(std::size_t place) const {
    if (place == 0) return &table_.partition_key;
    return table_.sort_key ? &*table_.sort_key : nullptr;
  }

  bool has_all() const {
    return values_[0] != nullptr && (attribute(1) == nullptr || values_[1] != nullptr);
  }

  // Visits the conditions that AND joins, one by one.
  void visit(Condition* condition) {
    if (condition->kind == Condition::Kind::And) {
      for (Condition* child : condition->children) visit(child);
      return;
    }
    if (const auto test = key_test(*condition, may_be_in_)) {
      for (std::size_t place = 0; place < values_.size(); ++place) {
        const KeyAttribute* const key = attribute(place);
        if (key == nullptr || key->name != test->attribute) continue;
        if (take(place, *test)) return;
      }
    }
    key_.rest = partiql::both(key_.rest, condition, arena_);
  }

  // False if the test is an ordinary condition.
  bool take(std::size_t place, const KeyTest& test) {
    const Value*& known = values_.at(place);
    if (known == nullptr) {
      known = test.value;
      return true;
    }
    if (*known == *test.value) return true;
    if (takes_first_) return false;
    if (key_.flaw == StatementKey::KeyProblem::None) {
      key_.flaw = StatementKey::KeyProblem::Several;
      key_.attribute = attribute(place)->name;
    }
    return true;
  }

  Item attributes() const {
    const std::size_t count = attribute(1) == nullptr ? 1 : 2;
    const auto members = arena_.allocate_array<Member>(count);
    for (std::size_t i = 0; i < count; ++i) members[i] = {attribute(i)->name, *values_.at(i)};
    if (count == 2 && members[1].name < members[0].name) std::swap(members[0], members[1]);
    return members;
  }

  const Table& table_;
  const bool takes_first_;
  const bool may_be_in_;
  Arena& arena_;
  std::array<const Value*, 2> values_{};
  StatementKey key_;
};

Result<WritePlan> put_plan(const Lowered& statement, const Table& table, Arena& arena) {
  const std::size_t size_bytes = item_size_bytes(statement.item);
  if (size_bytes > limits::kItemBytesMax) return item_too_large();
  return PutPlan{statement.item, size_bytes,
                 partiql::existence(table.partition_key.name, /*exists=*/false, arena)};
}

WritePlan keyed_plan(const Lowered& statement, const StatementKey& found, const Table& table,
                     Arena& arena) {
  const std::string_view name = table.partition_key.name;
  if (statement.kind == Kind::Update) {
    return UpdatePlan{
        found.key, statement.update,
        partiql::both(partiql::existence(name, /*exists=*/true, arena), found.rest, arena),
        /*is_charged=*/false};
  }
  if (statement.kind == Kind::Exists) return CheckPlan{found.key, found.rest};
  // A missing item counts as deleted, whatever the other conditions.
  if (found.rest == nullptr) return DeletePlan{found.key, nullptr};
  return DeletePlan{found.key, partiql::either(partiql::existence(name, /*exists=*/false, arena),
                                               found.rest, arena)};
}

}  // namespace

StatementKey find_key(const Lowered& statement, const Table& table, bool takes_first,
                      Arena& arena) {
  if (statement.has_or && statement.kind != Kind::Exists)
    return {.flaw = StatementKey::KeyProblem::NotGiven};
  return KeyFinder(table, takes_first, statement.is_read(), arena).find(statement.where);
}

Result<WritePlan> write_plan(const Lowered& statement, const Table& table, Arena& arena) {
  if (statement.kind == Kind::Insert) return put_plan(statement, table, arena);
  const StatementKey found = find_key(statement, table, /*takes_first=*/false, arena);
  if (found.flaw == StatementKey::KeyProblem::NotGiven) {
    return Error::validation(
               "Where clause does not contain a mandatory equality on all key attributes")
        .with_rule(Rule::OneItemPerStatement);
  }
  if (found.flaw == StatementKey::KeyProblem::Several) {
    return Error::validation(std::string("Multiple conditions on same key ")
                                 .append(found.attribute)
                                 .append(". Only single item Update/Insert/Delete are supported"));
  }
  return keyed_plan(statement, found, table, arena);
}

Result<WritePlan> transaction_plan(const Lowered& statement, const Table& table, Arena& arena) {
  if (statement.kind == Kind::Insert) return put_plan(statement, table, arena);
  const StatementKey found =
      find_key(statement, table, /*takes_first=*/statement.kind == Kind::Exists, arena);
  if (found.flaw != StatementKey::KeyProblem::None) return key_mismatch();
  return keyed_plan(statement, found, table, arena);
}

std::optional<GetPlan> lookup_plan(const Lowered& statement, const Table& table, bool is_consistent,
                                   Arena& arena) {
  if (!statement.is_read() || statement.index || !statement.order.empty()) return std::nullopt;
  const StatementKey found = find_key(statement, table, /*takes_first=*/false, arena);
  if (found.flaw != StatementKey::KeyProblem::None || found.rest != nullptr) return std::nullopt;
  return GetPlan{found.key, statement.projection, is_consistent};
}

}  // namespace stator
