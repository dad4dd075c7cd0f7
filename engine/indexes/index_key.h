// Keys of index entries, and the byte ranges of conditions on them (engine/storage/FORMAT.md).
//
//   partition := ordered bytes of the only partition attribute, or a tuple of the several
//   sort      := tuple of the index's sort attributes | tie
//   tie       := local index:  the table's sort key, as it is
//                global index: hash of the table's partition and sort key, one behind the other:
//                3 bytes | tuple element of the partition key | the sort key, as it is, if there is
//                one (the hash is how the service was seen to order entries with equal index keys)
//   element   := the ordered bytes with 00 FF for each 00 | 00 01
//
// Tuples compare like their elements one by one, and no tuple is a prefix of another with as many
// elements. So entries are in the order of the index's sort attributes, equal ones in the order of
// the tie, and a condition on leading sort attributes is a range of bytes.
#pragma once

#include <span>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/storage/keys/tuple_key.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

struct IndexKey {
  std::string_view partition;
  std::string_view sort;
};

// The entry key of an item, or of an ExclusiveStartKey. REQUIRES: it has all key attributes of the
// index and of the table, with the right types. Lives in `arena`, so it outlives a stored record.
template <class Index>
IndexKey index_key(const Table& table, const Index& index, Item item, Arena& arena);

// The partition bytes for values of the partition attributes, in the order of the key schema.
std::string_view index_partition(std::span<const std::string_view> values, Arena& arena);

}  // namespace stator
