// Plans: what to do with one item, as plain values. An operation makes one from its request,
// PartiQL from a statement, the service from its own rules. A plan names no table, and refers to
// its source.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "engine/catalog/primary_key.h"
#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/values/value.h"

namespace stator {

// Of an item that is too large to be put, alone or together with its entries in local indexes.
Error item_too_large();

// Replaces the stored item. A null condition always holds.
struct PutPlan {
  Item item;
  std::size_t size_bytes = 0;  // billed bytes of `item`, which is not too large
  const expr::Condition* condition = nullptr;
};

// Changes attributes. Creates a missing item, unless the update only removes values.
struct UpdatePlan {
  Item key;
  const expr::Update* update = nullptr;  // nullptr only creates the item
  const expr::Condition* condition = nullptr;
  // Whether the size limit includes the charge of the update itself (check_update_charge()).
  bool is_charged = true;
};

struct DeletePlan {
  Item key;
  const expr::Condition* condition = nullptr;
};

// Changes nothing; evaluates the condition.
struct CheckPlan {
  Item key;
  const expr::Condition* condition = nullptr;
};

using WritePlan = std::variant<PutPlan, UpdatePlan, DeletePlan, CheckPlan>;

// Reads the item, or its projected part.
struct GetPlan {
  Item key;
  const expr::Projection* projection = nullptr;  // nullptr means the whole item
  bool is_consistent = false;
};

// The attributes that contain the key: the plan's key, or the item to be put.
Item key_attributes(const WritePlan& plan);

// Checks that no key attribute of the table or an index is empty. locate() reports that too, among
// other errors; transactions report it before all others.
Result<void> check_keys_not_empty(const Table& table, const WritePlan& plan);
Result<void> check_keys_not_empty(const Table& table, const GetPlan& plan);

// The key of the plan's item. Reports all errors that follow from the table's definition and the
// plan alone.
Result<PrimaryKey> locate(const Table& table, const WritePlan& plan);
Result<PrimaryKey> locate(const Table& table, const GetPlan& plan);

}  // namespace stator
