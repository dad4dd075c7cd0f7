// Shared by TransactWriteItems and TransactGetItems: finding the items of the actions and reporting
// the consumed capacity.
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
#include "protocol/errors/error.h"
#include "protocol/errors/result.h"
#include "protocol/service/limits.h"

namespace stator {

struct WriteAction {
  std::string_view table_name;
  WritePlan plan;
  bool returns_old_on_failure = false;
  bool is_insert = false;  // its condition fails if the item exists
};

struct GetAction {
  std::string_view table_name;
  GetPlan plan;
};

// The items of the actions, in order.
struct LocatedActions {
  std::vector<LocatedKey> keys;
  // The first action whose key or values do not fit its table, with the error; the keys of such
  // actions are empty.
  std::optional<std::pair<std::size_t, Error>> misfit;
};

// Errors of the whole request: a missing table, an empty key, two actions on one item. Reports the
// first in the request, but two actions on one item only if all keys fit
// (conformance/observed/transactions.md 2).
Result<LocatedActions> locate_actions(std::span<const WriteAction> actions,
                                      const Snapshot& snapshot, Call& call);
Result<LocatedActions> locate_actions(std::span<const GetAction> actions, const Snapshot& snapshot,
                                      Call& call);

// Capacity by table, under the name that the request uses first.
class TransactionCapacity {
 public:
  void add(const Table& table, std::string_view table_name, std::span<const Charge> charges);
  std::span<const TableCapacity> tables() const { return capacities_; }

 private:
  std::vector<const Table*> tables_;
  std::vector<TableCapacity> capacities_;  // of the same tables
};

// Error for more than 4 MB; the service states it twice.
Error payload_too_large(std::size_t size_bytes);

}  // namespace stator
