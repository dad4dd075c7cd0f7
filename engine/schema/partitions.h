// Partitions: over how many of them the service spreads a table or a global index. A Scan is
// charged for each one it walks through, even for an empty one (conformance/observed/capacity.md
// 4).
#pragma once

#include <cstdint>

#include "engine/schema/table.h"

namespace stator {

// Partitions are equal ranges of the hash space. `index` is nullptr for the table itself (and its
// local indexes, which lie beside it).
std::uint32_t partition_count(const Table& table, const GlobalIndex* index);

// The partition, from 0, that has a place in scan order (storage::partition_hash).
std::uint32_t partition_of(std::uint32_t hash, std::uint32_t partitions);

}  // namespace stator
