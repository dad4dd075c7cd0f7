// Statements on one item to the plans of items (engine/items/item_plan.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/items/item_plan.h"
#include "engine/schema/table.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/partiql/lowering.h"
#include "protocol/result.h"

namespace stator {

// The key that a WHERE gives by `=` on every key attribute, and what it asks besides.
struct StatementKey {
  enum class Flaw : std::uint8_t {
    None,
    NotGiven,  // an attribute has no `=`, or there is an OR
    Several,   // an attribute has `=` with different values
  };

  Item key = {};
  expr::Condition* rest = nullptr;
  Flaw flaw = Flaw::None;
  std::string_view attribute = {};  // Several
};

// `takes_first`: of several values for one attribute the first is the key, the others conditions.
StatementKey find_key(const partiql::Lowered& statement, const Table& table, bool takes_first,
                      Arena& arena);

// What INSERT, UPDATE, DELETE or EXISTS wants of its item. Errors: WHERE does not name one item, in
// the words of single statements; the item is too large.
Result<WritePlan> write_plan(const partiql::Lowered& statement, const Table& table, Arena& arena);
// The same in a transaction, where a key that does not name one item is no match for the schema.
Result<WritePlan> transaction_plan(const partiql::Lowered& statement, const Table& table,
                                   Arena& arena);

// The lookup that a SELECT is whose WHERE is its table's whole key and nothing else; empty: it is
// none.
std::optional<GetPlan> lookup_plan(const partiql::Lowered& statement, const Table& table,
                                   bool is_consistent, Arena& arena);

}  // namespace stator
