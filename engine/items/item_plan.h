// Plans: what somebody wants of one item, as plain values. Whoever asks makes one: an operation
// from its request, another language from a statement, the service from a rule of its own. A plan
// names no table, and refers to what it was made from.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "engine/schema/table.h"
#include "engine/state/primary_key.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/projection.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

inline constexpr std::string_view kItemTooLarge = "Item size has exceeded the maximum allowed size";

// Puts the item in the place of what is there. A condition that is nullptr always holds.
struct PutPlan {
  Item item;
  std::size_t size_bytes = 0;  // billed bytes of `item`, which is not too large
  const expr::Condition* condition = nullptr;
};

// Changes attributes. An item that does not exist is created, unless all there is to do is to take
// something away.
struct UpdatePlan {
  Item key;
  const expr::Update* update = nullptr;  // nullptr: nothing but to create the item
  const expr::Condition* condition = nullptr;
  // Whether the limit on sizes counts the update itself, too (check_update_charge()).
  bool is_charged = true;
};

struct DeletePlan {
  Item key;
  const expr::Condition* condition = nullptr;
};

// Changes nothing; says whether the condition holds.
struct CheckPlan {
  Item key;
  const expr::Condition* condition = nullptr;
};

using WritePlan = std::variant<PutPlan, UpdatePlan, DeletePlan, CheckPlan>;

// Reads the item, or the projected part of it.
struct GetPlan {
  Item key;
  const expr::Projection* projection = nullptr;  // nullptr: the whole item
  bool is_consistent = false;
};

// The attributes that hold the key: those of the key alone, or of the item to be put.
Item key_attributes(const WritePlan& plan);

// No attribute that would key the table or an index is empty. locate() finds that too, among other
// mistakes; transactions tell it before all others.
Result<void> check_keys_not_empty(const Table& table, const WritePlan& plan);
Result<void> check_keys_not_empty(const Table& table, const GetPlan& plan);

// The key of the item meant. Errors: all that follow from the table's definition and the plan
// alone.
Result<PrimaryKey> locate(const Table& table, const WritePlan& plan);
Result<PrimaryKey> locate(const Table& table, const GetPlan& plan);

}  // namespace stator
