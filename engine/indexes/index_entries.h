// Indexes: which entry an item has in an index, and what a change of an item does to a table's
// indexes: records, statistics and units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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
// long: writes refuse those (operations/item_keys.h), but items older than the index may have them.
// Lives in `arena` and refers to the item.
template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index,
                                      const IndexedItem& item, Arena& arena);

// The bytes of an item's entry: the item's own record when everything is projected. Lives in
// `arena` or with the item's record; `scratch` is overwritten.
template <class Index>
std::string_view index_record(const Index& index, const IndexedItem& item, const IndexEntry& entry,
                              std::string& scratch, Arena& arena);

// What happens to the entry of one item in one index. All views outlive the mutation.
struct IndexChange {
  std::optional<IndexKey> erased;
  std::optional<IndexKey> put;
  std::string_view record;  // of `put`
  SpaceStats difference;
};

// The one place where changes of index entries enter a mutation.
void change_index(const LocalIndex& index, const IndexChange& change, Mutation& mutation);
void change_index(const GlobalIndex& index, const IndexChange& change, Mutation& mutation);

// Whether writes of the item with that key keep its entry in the index up to date.
bool maintains(const GlobalIndex& index, const Table& table, const PrimaryKey& key);

// Bytes of an item's entries in the local indexes: those after the write, and their difference to
// those before.
struct LocalEntryBytes {
  std::size_t after = 0;
  std::int64_t difference = 0;
};

// Decides what replacing `before` by `after` (empty: no item) means for every index of the table,
// puts it into the mutation and adds the units consumed.
LocalEntryBytes update_indexes(const Table& table, const PrimaryKey& key,
                               const std::optional<IndexedItem>& before,
                               const std::optional<IndexedItem>& after, Mutation& mutation,
                               ConsumedCapacity& consumed, Arena& arena);

}  // namespace stator
