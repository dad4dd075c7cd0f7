// Partitions: into how many the service divides a table or a global index. A Scan is charged for
// each partition that it passes, even an empty one (conformance/observed/capacity.md 4).
#pragma once

#include <cstdint>

#include "engine/schema/table.h"

namespace stator {

// Units per second that one partition serves.
struct PartitionLimits {
  std::int64_t read_units = 3000;
  std::int64_t write_units = 1000;
};

// How the number of partitions of a provisioned table follows from its reads and writes. The sum of
// both, rounded once, is the only formula ever published; other texts take the larger of the two.
enum class PartitionFormula : std::uint8_t { Additive, IndependentMax };

// Number of partitions of a table or index that has always been provisioned; at least one.
std::uint32_t provisioned_partitions(const Throughput& throughput,
                                     const PartitionLimits& limits = {},
                                     PartitionFormula formula = PartitionFormula::Additive);
// Number of partitions that serve `warm` on demand; at least `partitions_min`.
std::uint32_t on_demand_partitions(const Throughput& warm, const PartitionLimits& limits = {},
                                   std::int64_t partitions_min = 4);

// Partitions are equal ranges of the hash space. `index` is nullptr for the table itself and its
// local indexes, which share its partitions.
std::uint32_t partition_count(const Table& table, const GlobalIndex* index);

// The partition, from 0, that contains a position in scan order (storage::partition_hash).
std::uint32_t partition_of(std::uint32_t hash, std::uint32_t partitions);
// The first position of a partition; for the number after the last, the end of the hash space.
std::uint32_t partition_begin(std::uint32_t partition, std::uint32_t partitions);

}  // namespace stator
