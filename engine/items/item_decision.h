// Decisions: what a plan comes to, given what is stored. The one way an item changes, whoever asks:
// decide() says what would happen and touches nothing; enter() puts that into a mutation. What was
// decided and is not entered never happened, so one item of several can be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/charging.h"
#include "engine/indexes/index_entries.h"
#include "engine/items/item_plan.h"
#include "engine/items/stored_item.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stamp.h"
#include "protocol/arena.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// Refers to the table, to the plan, to what is stored and to the context's arena.
struct Decision {
  const Table* table = nullptr;
  PrimaryKey key = {};
  StoredItem before = {};
  // The condition does not hold: nothing is to be changed, and nothing below but the charges is
  // set.
  bool condition_failed = false;
  // What it costs, the table first; of a write whose condition failed, too.
  std::span<const Charge> charges = {};
  // What must pass for its outcome to be told: the same, and behind it what entries of indexes
  // would have cost, had the condition held. Whether it is throttled is decided before conditions.
  std::span<const Charge> asked = {};

  bool is_change = false;        // false: the item is only looked at
  std::string_view record = {};  // of the item afterwards; empty: no item
  std::size_t kept_bytes = 0;    // of the record before, that an update left as they are
  SpaceStats difference = {};    // to the table's statistics
  std::span<const EntryChange> local_entries = {};
  std::span<const EntryChange> global_entries = {};
  // Of the item collection, entries in local indexes included; tables with local indexes.
  std::int64_t collection_difference_bytes = 0;
  std::int64_t collection_size_bytes = 0;  // with this and the request's earlier decisions
};

// By how much the decisions of one request let item collections grow so far.
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

// What decisions are made from, besides the plan.
struct WriteContext {
  const Snapshot& snapshot;
  Arena& arena;
  std::string& scratch;  // overwritten
  Arena& looking;        // reset: an item is taken apart in it, and nothing of it stays
  std::int64_t item_collection_bytes_max;
  // The decisions of the same request that are, or will be, entered before; nullptr: none.
  const DecidedCollections* earlier = nullptr;
  storage::Origin origin = storage::Origin::User;  // the mutation's, too
  // Whether the decision is one of a transaction: the table is charged twice.
  bool is_transactional = false;
};

// Errors: the write is refused (what becomes of the item breaks a rule, or its collection grows
// beyond the limit), or storage failed. REQUIRES: `key` is located (item_plan.h), and no earlier
// decision of the request is about the same item.
Result<Decision> decide(const Table& table, const PrimaryKey& key, const WritePlan& plan,
                        const WriteContext& context);

// The records before and after it; empty: there is no item.
inline std::optional<std::string_view> record_before(const Decision& decision) {
  return decision.before.exists() ? std::optional(decision.before.record()) : std::nullopt;
}
inline std::optional<std::string_view> record_after(const Decision& decision) {
  return decision.record.empty() ? std::nullopt : std::optional(decision.record);
}

inline ChargedEvent charged_event(const Decision& decision) {
  return {*decision.table, decision.asked, decision.asked.size() - decision.charges.size()};
}

// What deciding took, in steps of Work: each operand of the plan's condition may have looked at the
// whole stored item, and what changes is taken apart and put together.
std::size_t steps_of(const WritePlan& plan, const Decision& decision);

// REQUIRES: the condition holds. What the decision refers to must stay valid until the mutation is
// applied, before which nothing may be written.
void enter(const Decision& decision, Mutation& mutation);

}  // namespace stator
