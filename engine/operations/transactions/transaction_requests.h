// What TransactWriteItems and TransactGetItems share: finding the items that are meant, and telling
// what that consumed.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/call/call.h"
#include "engine/items/duplicate_keys.h"
#include "engine/items/item_plan.h"
#include "engine/operations/answer_members.h"
#include "engine/schema/capacity.h"
#include "engine/state/snapshot.h"
#include "protocol/error.h"
#include "protocol/limits.h"
#include "protocol/result.h"

namespace stator {

struct WriteAction {
  std::string_view table_name;
  WritePlan plan;
  bool returns_old_on_failure = false;
  bool is_insert = false;  // its condition fails because there is such an item
};

struct GetAction {
  std::string_view table_name;
  GetPlan plan;
};

// The items that the actions mean, in their order.
struct LocatedActions {
  std::vector<LocatedKey> keys;
  // The first action whose key or values do not fit its table, and why; the keys of such actions
  // are empty.
  std::optional<std::pair<std::size_t, Error>> misfit;
};

// Errors, of the whole request: a table is missing, a key is empty, an item is meant twice. What
// comes first in the request is told first, but two actions on one item are told of only when all
// keys fit (conformance/observed/transactions.md 2).
Result<LocatedActions> locate_actions(std::span<const WriteAction> actions,
                                      const Snapshot& snapshot, Call& call);
Result<LocatedActions> locate_actions(std::span<const GetAction> actions, const Snapshot& snapshot,
                                      Call& call);

// Capacity by table, whose name is the one that the request has first.
class TransactionCapacity {
 public:
  void add(const Table& table, std::string_view table_name, std::span<const Charge> charges);
  std::int64_t total_units_milli() const;
  std::span<const TableCapacity> tables() const { return capacities_; }

 private:
  std::vector<const Table*> tables_;
  std::vector<TableCapacity> capacities_;  // of the same tables
};

// More than 4 MB; the service says it twice.
Error payload_too_large(std::size_t size_bytes);

}  // namespace stator
