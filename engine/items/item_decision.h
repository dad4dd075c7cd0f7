// Decisions: the result of applying a plan to the stored data. Every change of an item goes this
// way: decide() determines the change and touches nothing; enter() stages it in a mutation. A
// decision that is not staged has no effect, so one item of several can be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/charging.h"
#include "engine/catalog/primary_key.h"
#include "engine/indexes/index_entries.h"
#include "engine/items/item_plan.h"
#include "engine/items/stored_item.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/stamp.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// Refers to the table, the plan, the stored data and the context's arena.
struct Decision {
  const Table* table = nullptr;
  PrimaryKey key = {};
  StoredItem before = {};
  // The condition failed: nothing is to change, and of the members below only the charges are set.
  bool condition_failed = false;
  // The cost, the table's first; a write whose condition failed has one too.
  std::span<const Charge> charges = {};
  // The charges that must pass before the outcome is returned: `charges`, followed by those that
  // index entries would have cost if the condition had held. Throttling is decided before
  // conditions.
  std::span<const Charge> asked = {};

  bool is_change = false;        // false: the item is only read
  std::string_view record = {};  // the item's record afterwards; empty: no item
  std::size_t kept_bytes = 0;    // bytes of the old record that an update copies unchanged
  SpaceStats difference = {};    // to the table's statistics
  std::span<const EntryChange> local_entries = {};
  std::span<const EntryChange> global_entries = {};
  // Growth of the item collection, entries in local indexes included; only for tables with local
  // indexes.
  std::int64_t collection_difference_bytes = 0;
  std::int64_t collection_size_bytes = 0;  // after this and the request's earlier decisions
};

// Growth of item collections by the decisions of one request so far.
class DecidedCollections {
 public:
  void add(const Decision& decision);
  std::int64_t difference_bytes(const Table& table, std::string_view partition) const;

 private:
  struct Collection {
    storage::SpaceId space;
    std::string_view partition;
    std::int64_t difference_bytes;
  };
  std::vector<Collection> collections_;
};

// The input of a decision besides the plan.
struct WriteContext {
  const Snapshot& snapshot;
  Arena& arena;
  std::string& scratch;  // overwritten
  Arena& looking;        // reset: used to decode an item for a short time
  std::int64_t item_collection_bytes_max;
  // The decisions of the same request that are staged before this one; nullptr if none.
  const DecidedCollections* earlier = nullptr;
  storage::Origin origin = storage::Origin::User;  // the mutation's, too
  // Whether the decision is part of a transaction: the table is then charged twice.
  bool is_transactional = false;
};

// Errors: the write is rejected (the changed item breaks a rule, or its collection grows beyond the
// limit), or storage failed. REQUIRES: `key` is located (item_plan.h), and no earlier decision of
// the request concerns the same item.
Result<Decision> decide(const Table& table, const PrimaryKey& key, const WritePlan& plan,
                        const WriteContext& context);

// The records before and after the decision; empty if there is no item.
inline std::optional<std::string_view> record_before(const Decision& decision) {
  return decision.before.exists() ? std::optional(decision.before.record()) : std::nullopt;
}
inline std::optional<std::string_view> record_after(const Decision& decision) {
  return decision.record.empty() ? std::nullopt : std::optional(decision.record);
}

inline ChargedEvent charged_event(const Decision& decision) {
  return {*decision.table, decision.asked, decision.asked.size() - decision.charges.size()};
}

// Cost of deciding, in steps of Work: each operand of the plan's condition may have read the whole
// stored item, and a changed item is decoded and rebuilt.
std::size_t steps_of(const WritePlan& plan, const Decision& decision);

// Stages the decision. REQUIRES: the condition held. All data that the decision refers to stays
// valid until the mutation is applied, before which nothing may be written.
void enter(const Decision& decision, Mutation& mutation);

}  // namespace stator
