// Reading one item by its key.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/items/item_plan.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "protocol/arena.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// What is stored under a key, read once.
class StoredItem {
 public:
  // No item.
  StoredItem() = default;
  // The item under `key` in the table, or none.
  static Result<StoredItem> find(const Snapshot& snapshot, const Table& table,
                                 const PrimaryKey& key);

  bool exists() const { return record_.has_value(); }
  // REQUIRES: exists().
  std::string_view record() const { return *record_; }
  // Billed bytes; 0 without an item.
  std::size_t size_bytes() const;
  // The attributes, decoded into `arena`; empty without an item. Valid while the snapshot's views
  // are.
  Item item(Arena& arena) const;

 private:
  std::optional<std::string_view> record_;
};

struct ItemRead {
  StoredItem stored;
  Charge charge;
};

// The item that a lookup means, and what looking costs. REQUIRES: `key` is located (item_plan.h).
Result<ItemRead> read_item(const Table& table, const PrimaryKey& key, bool is_consistent,
                           const Snapshot& snapshot);

}  // namespace stator
