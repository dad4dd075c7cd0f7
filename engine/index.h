// Indexes: which entry an item has in an index, and what a change of an item does to a table's
// indexes: statistics and units.
//
// Entries themselves are not stored yet: nothing can read them before Query and Scan.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/capacity.h"
#include "engine/mutation.h"
#include "engine/table.h"
#include "protocol/value.h"

namespace stator {

// The attributes of `item` that an index stores; empty when the item lacks a key attribute of the
// index or one has another type.
struct IndexEntry {
  std::vector<const Member*> attributes;  // into the item, sorted by name
  std::size_t size_bytes = 0;
};
template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index, Item item);

// Adds what replacing `before` by `after` (nullptr: no item) means for every index of the table:
// units consumed, differences of the statistics. Returns the change of the item collection's size
// by local index entries, in bytes.
std::int64_t account_indexes(const Table& table, const Item* before, const Item* after,
                             Mutation& mutation, ConsumedCapacity& consumed);

}  // namespace stator
