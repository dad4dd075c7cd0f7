// Converts statements on one item to item plans (engine/items/item_plan.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/items/item_plan.h"
#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/lowering.h"

namespace stator {

// The key that a WHERE gives by `=` on every key attribute, and its other conditions.
struct StatementKey {
  enum class KeyProblem : std::uint8_t {
    None,
    NotGiven,  // an attribute has no `=`, or WHERE has an OR
    Several,   // an attribute has `=` with different values
  };

  Item key = {};
  expr::Condition* rest = nullptr;
  KeyProblem flaw = KeyProblem::None;
  std::string_view attribute = {};  // Several
};

// `takes_first`: of several values for one attribute, the first is the key and the others are
// conditions.
StatementKey find_key(const partiql::Lowered& statement, const Table& table, bool takes_first,
                      Arena& arena);

// The plan of an INSERT, UPDATE, DELETE or EXISTS. Errors: WHERE does not name one item, in the
// words of single statements; the item is too large.
Result<WritePlan> write_plan(const partiql::Lowered& statement, const Table& table, Arena& arena);
// The plan in a transaction, where a key that does not name one item is reported as not matching
// the schema.
Result<WritePlan> transaction_plan(const partiql::Lowered& statement, const Table& table,
                                   Arena& arena);

// The lookup of a SELECT whose WHERE is exactly its table's whole key; empty if it is none.
std::optional<GetPlan> lookup_plan(const partiql::Lowered& statement, const Table& table,
                                   bool is_consistent, Arena& arena);

}  // namespace stator
