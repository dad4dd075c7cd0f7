// Writing one item: the record, its index entries, statistics, the item collection and the units.
// The one way to do it, whichever operation asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "engine/storage/item_store.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// What is stored under a key, read once.
class StoredItem {
 public:
  // The item under `key` in the table, or none.
  static Result<StoredItem> find(const Snapshot& snapshot, const Table& table,
                                 const PrimaryKey& key);

  bool exists() const { return record_.has_value(); }
  // REQUIRES: exists().
  std::string_view record() const { return *record_; }
  // Billed bytes; 0 without an item.
  std::size_t size_bytes() const;
  // The attributes, decoded on first use into `arena`, which must be the same each time; empty
  // without an item. Valid while the snapshot's views are.
  Item item(Arena& arena) const;

 private:
  std::optional<std::string_view> record_;
  mutable std::optional<Item> item_;
};

inline constexpr std::string_view kItemTooLarge = "Item size has exceeded the maximum allowed size";

// A write of one item: what was stored, what will be.
struct ItemChange {
  const Table& table;
  PrimaryKey key;  // of the request or an arena, not of the record that is replaced
  const StoredItem& before;
  const Item* after = nullptr;  // nullptr: deleted
  std::size_t after_size_bytes = 0;
  // The refusal when the item and its entries in local indexes are too large together.
  std::string_view too_large = kItemTooLarge;
};

struct WriteOutcome {
  ConsumedCapacity consumed;
  std::int64_t collection_size_bytes = 0;  // after the write; tables with local indexes
};

// Decides everything about the write and puts it into the mutation; what it keeps lives in
// call.arena. REQUIRES: the keys are checked (operations/item_keys.h). Error: the item collection
// of a table with local indexes grows beyond its limit. Adds nothing to call.units_milli.
Result<WriteOutcome> write_item(const ItemChange& change, const Snapshot& snapshot,
                                Mutation& mutation, Call& call);

}  // namespace stator
