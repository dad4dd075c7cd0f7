// Indexes: which entry an item has in an index, and how a change of an item changes its table's
// indexes: records, statistics and units. Stages nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/catalog/primary_key.h"
#include "engine/indexes/fixed_list.h"
#include "engine/indexes/index_key.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// An item as input for its table's indexes.
struct IndexedItem {
  // All attributes, or during an update only the decoded ones (items/opened_names.h). Any other
  // attribute that an index stores is the same before and after the update.
  Item attributes;
  std::size_t size_bytes = 0;  // billed
  std::string_view record;     // its record (storage/item_codec.h)
};

// The attributes that an index stores for an item.
struct IndexEntry {
  Item attributes;  // sorted by name
  std::size_t size_bytes = 0;
};

// The item's entry. Empty if the item lacks a key attribute of the index, or has one of another
// type, empty or too long: writes reject those (items/item_keys.h), but items older than the index
// may have them. Lives in `arena` and refers to the item.
template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index,
                                      const IndexedItem& item, Arena& arena);

// The record of an item's entry: the item's own record if everything is projected. Lives in `arena`
// or with the item's record; overwrites `scratch`.
template <class Index>
std::string_view index_record(const Index& index, const IndexedItem& item, const IndexEntry& entry,
                              std::string& scratch, Arena& arena);

using EntryChange = Mutation::EntryChange;

// Whether writes of the item with this key maintain its entry in the index.
bool maintains(const GlobalIndex& index, const Table& table, const PrimaryKey& key);

// How a write of an item changes the indexes of its table. Lives in an arena; refers to the items.
struct IndexChanges {
  std::span<const EntryChange> local;
  std::span<const EntryChange> global;
  // The item's entries in local indexes: billed bytes after the write, and the difference from
  // before.
  std::size_t local_bytes_after = 0;
  std::int64_t local_bytes_difference = 0;
};

// Maximum number of charges that a write causes in the table's indexes.
std::size_t charges_max(const Table& table);

// Determines how replacing `before` by `after` (empty: no item) changes each index of the table,
// and adds the charges. Overwrites `scratch`.
IndexChanges index_changes(const Table& table, const PrimaryKey& key,
                           const std::optional<IndexedItem>& before,
                           const std::optional<IndexedItem>& after, std::string& scratch,
                           Arena& arena, FixedList<Charge>& charges);

// The change for one global index that follows its table late, without charges, which the write
// itself made. Empty if none.
std::optional<EntryChange> late_index_change(const Table& table, const GlobalIndex& index,
                                             const std::optional<IndexedItem>& before,
                                             const std::optional<IndexedItem>& after,
                                             std::string& scratch, Arena& arena);

}  // namespace stator
