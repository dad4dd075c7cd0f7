#include "engine/schema/partitions.h"

#include <algorithm>

namespace stator {
namespace {

constexpr std::int64_t kPartitionReadUnits = 3000;
constexpr std::int64_t kPartitionWriteUnits = 1000;
constexpr std::int64_t kOnDemandPartitionsMin = 4;
constexpr unsigned kHashBits = 24;

std::int64_t started(std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit; }

}  // namespace

// Partitions are split and never merged, so what counts is the highest throughput there ever was:
// the warm throughput.
std::uint32_t partition_count(const Table& table, const GlobalIndex* index) {
  const Throughput& warm = index != nullptr ? index->warm : table.warm;
  const bool was_on_demand = table.settings.billing_mode == BillingMode::PayPerRequest ||
                             table.settings.last_on_demand.has_value();
  if (was_on_demand) {
    return static_cast<std::uint32_t>(
        std::max({kOnDemandPartitionsMin, started(warm.read_units, kPartitionReadUnits),
                  started(warm.write_units, kPartitionWriteUnits)}));
  }
  // Reads and writes together, in write units.
  constexpr std::int64_t kReadsPerWrite = kPartitionReadUnits / kPartitionWriteUnits;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(
      1, started(warm.read_units + kReadsPerWrite * warm.write_units, kPartitionReadUnits)));
}

std::uint32_t partition_of(std::uint32_t hash, std::uint32_t partitions) {
  return static_cast<std::uint32_t>((std::uint64_t{hash} * partitions) >> kHashBits);
}

}  // namespace stator
