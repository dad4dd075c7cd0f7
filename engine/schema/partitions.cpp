#include "engine/schema/partitions.h"

#include <algorithm>

namespace stator {
namespace {

constexpr unsigned kHashBits = 24;

std::int64_t started(std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit; }

}  // namespace

std::uint32_t provisioned_partitions(const Throughput& throughput, const PartitionLimits& limits,
                                     PartitionFormula formula) {
  if (formula == PartitionFormula::IndependentMax)
    return on_demand_partitions(throughput, limits, 1);
  // Both terms have a common denominator, so that only the sum is rounded.
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, started(throughput.read_units * limits.write_units +
                                            throughput.write_units * limits.read_units,
                                        limits.read_units * limits.write_units)));
}

std::uint32_t on_demand_partitions(const Throughput& warm, const PartitionLimits& limits,
                                   std::int64_t partitions_min) {
  return static_cast<std::uint32_t>(
      std::max({partitions_min, started(warm.read_units, limits.read_units),
                started(warm.write_units, limits.write_units)}));
}

// Partitions are split and never merged, so the highest throughput ever counts: the warm
// throughput.
std::uint32_t partition_count(const Table& table, const GlobalIndex* index) {
  const auto asked = index != nullptr ? index->warm_to : table.warm_to;
  const Throughput warm =
      highest(highest(index != nullptr ? index->warm : table.warm, asked.value_or(Throughput())),
              warm_at_least(table.settings.billing_mode,
                            index != nullptr ? index->throughput : table.settings.throughput));
  const bool was_on_demand = table.settings.billing_mode == BillingMode::PayPerRequest ||
                             table.settings.last_on_demand.has_value();
  return was_on_demand ? on_demand_partitions(warm) : provisioned_partitions(warm);
}

std::uint32_t partition_of(std::uint32_t hash, std::uint32_t partitions) {
  return static_cast<std::uint32_t>((std::uint64_t{hash} * partitions) >> kHashBits);
}

std::uint32_t partition_begin(std::uint32_t partition, std::uint32_t partitions) {
  constexpr std::uint64_t kHashes = std::uint64_t{1} << kHashBits;
  return static_cast<std::uint32_t>((partition * kHashes + partitions - 1) / partitions);
}

}  // namespace stator
