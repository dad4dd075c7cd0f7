// Indexes: which entry an item has in an index, and what a change of an item means for its table's
// indexes: records, statistics and units. Nothing is entered anywhere here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/indexes/fixed_list.h"
#include "engine/indexes/index_key.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/state/primary_key.h"
#include "protocol/arena.h"
#include "protocol/value.h"

namespace stator {

// An item as the indexes of its table see it.
struct IndexedItem {
  // All of them; or, of an item before and after an update, those that are opened for it
  // (items/opened_names.h): where an index holds more, it is the same in both.
  Item attributes;
  std::size_t size_bytes = 0;  // billed
  std::string_view record;     // its encoding (storage/item_codec.h)
};

// What an index stores of an item.
struct IndexEntry {
  Item attributes;  // sorted by name
  std::size_t size_bytes = 0;
};

// Empty when the item lacks a key attribute of the index, or has one of another type, empty or too
// long: writes refuse those (items/item_keys.h), but items older than the index may have them.
// Lives in `arena` and refers to the item.
template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index,
                                      const IndexedItem& item, Arena& arena);

// The bytes of an item's entry: the item's own record when everything is projected. Lives in
// `arena` or with the item's record; `scratch` is overwritten.
template <class Index>
std::string_view index_record(const Index& index, const IndexedItem& item, const IndexEntry& entry,
                              std::string& scratch, Arena& arena);

using EntryChange = Mutation::EntryChange;

// Whether writes of the item with that key keep its entry in the index up to date.
bool maintains(const GlobalIndex& index, const Table& table, const PrimaryKey& key);

// What a write of an item means for the indexes of its table. Lives in an arena; refers to the
// items.
struct IndexChanges {
  std::span<const EntryChange> local;
  std::span<const EntryChange> global;
  // Of the item's entries in local indexes: billed bytes after the write, and their difference to
  // those before.
  std::size_t local_bytes_after = 0;
  std::int64_t local_bytes_difference = 0;
};

// The most charges that a write brings about in the table's indexes.
std::size_t charges_max(const Table& table);

// Decides what replacing `before` by `after` (empty: no item) means for every index of the table,
// and adds what it costs. `scratch` is overwritten.
IndexChanges index_changes(const Table& table, const PrimaryKey& key,
                           const std::optional<IndexedItem>& before,
                           const std::optional<IndexedItem>& after, std::string& scratch,
                           Arena& arena, FixedList<Charge>& charges);

// The same for one global index that follows its table late, without the cost, which was told at
// the write. Empty: nothing.
std::optional<EntryChange> late_index_change(const Table& table, const GlobalIndex& index,
                                             const std::optional<IndexedItem>& before,
                                             const std::optional<IndexedItem>& after,
                                             std::string& scratch, Arena& arena);

}  // namespace stator
