// Reads one item by its key.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/catalog/primary_key.h"
#include "engine/items/item_plan.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// The stored item under a key, read once.
class StoredItem {
 public:
  // Represents a missing item.
  StoredItem() = default;
  // The item under `key` in the table; exists() is false if absent.
  static Result<StoredItem> find(const Snapshot& snapshot, const Table& table,
                                 const PrimaryKey& key);

  bool exists() const { return record_.has_value(); }
  // REQUIRES: exists().
  std::string_view record() const { return *record_; }
  // Billed bytes; 0 if there is no item.
  std::size_t size_bytes() const;
  // The attributes, decoded into `arena`; empty if there is no item. Valid while the snapshot's
  // views are.
  Item item(Arena& arena) const;

 private:
  std::optional<std::string_view> record_;
};

struct ItemRead {
  StoredItem stored;
  Charge charge;
};

// Reads an item for a lookup, with the charge. REQUIRES: `key` is located (item_plan.h).
Result<ItemRead> read_item(const Table& table, const PrimaryKey& key, bool is_consistent,
                           const Snapshot& snapshot);

}  // namespace stator
