// Partitions: over how many of them the service spreads a table or a global index. A Scan is
// charged for each one it walks through, even for an empty one (conformance/observed/capacity.md
// 4).
#pragma once

#include <cstdint>

#include "engine/schema/table.h"

namespace stator {

// What one partition serves a second.
struct PartitionLimits {
  std::int64_t read_units = 3000;
  std::int64_t write_units = 1000;
};

// How reads and writes make partitions of a provisioned table: the sum of both, rounded once, is
// the only formula that was ever published; other texts take the larger of the two.
enum class PartitionFormula : std::uint8_t { Additive, IndependentMax };

// Of a table or an index that has always been provisioned; at least one.
std::uint32_t provisioned_partitions(const Throughput& throughput,
                                     const PartitionLimits& limits = {},
                                     PartitionFormula formula = PartitionFormula::Additive);
// Of one that serves that much on demand; not less than `partitions_min`.
std::uint32_t on_demand_partitions(const Throughput& warm, const PartitionLimits& limits = {},
                                   std::int64_t partitions_min = 4);

// Partitions are equal ranges of the hash space. `index` is nullptr for the table itself (and its
// local indexes, which lie beside it).
std::uint32_t partition_count(const Table& table, const GlobalIndex* index);

// The partition, from 0, that has a place in scan order (storage::partition_hash).
std::uint32_t partition_of(std::uint32_t hash, std::uint32_t partitions);
// The first place of a partition; behind the last one the end of all.
std::uint32_t partition_begin(std::uint32_t partition, std::uint32_t partitions);

}  // namespace stator
