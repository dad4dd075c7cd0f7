// CapacityParameters: every constant of the model of throughput, as a plain value, so that tests
// and users can make a day short and a partition small.
//
// Where what is known of the service contradicts itself, the choice is a parameter here and says
// why.
#pragma once

#include <cstdint>

#include "engine/schema/partitions.h"
#include "engine/schema/table.h"

namespace stator::capacity {

// How a provisioned table's throughput reaches its partitions. Since 2019 any partition may use all
// of it (Instant); before, each had its share and no more (Off), or what others left over, some
// minutes late (Delayed): the reason for much older advice.
enum class AdaptiveMode : std::uint8_t { Instant, Delayed, Off };

// What the quota of a table on demand covers. One page of the documentation says each index has one
// of its own, another that a table and its indexes share one; measured on the control plane they
// are looked at one by one, so that is the default.
enum class AccountScope : std::uint8_t { Each, TableWithIndexes };

// What is answered to a write that an index's partition, or its quota, refuses. The page on global
// secondary indexes says ThrottlingException for both, whatever the mode; the pages on errors and
// on diagnosing throttling name the exceptions that a table has for the same cause. They are two
// against one, so they are the default.
enum class IndexErrors : std::uint8_t { ByCause, AlwaysThrottling };

struct CapacityParameters {
  // Unused throughput is kept for so long.
  std::int64_t burst_s = 300;
  // What a new bucket has saved. Nothing is published; 50 quick writes to a new table of one unit
  // were seen to pass and 500 units not to, so the bucket is full and not one second's worth. One
  // second is what other emulators choose.
  std::int64_t initial_burst_s = 300;
  std::int64_t on_demand_max_burst_s = 300;

  PartitionLimits partition_limits = {};
  std::int64_t partition_burst_s = 1;  // starts full
  PartitionFormula partition_formula = PartitionFormula::Additive;
  std::int64_t partition_bytes_max = std::int64_t{10} << 30;
  // Ours: no table has more, whatever its throughput, size and heat; it bounds what a table costs.
  std::uint32_t partitions_max = 1024;

  Throughput account_table = {40'000, 40'000};  // a table or index on demand
  std::int64_t account_burst_s = 1;             // starts full
  AccountScope account_scope = AccountScope::Each;

  std::int64_t on_demand_partitions_min = 4;
  Throughput on_demand_initial = {12'000, 4'000};
  std::int64_t growth_delay_s = 1800;  // from a new peak until twice of it is served

  std::int64_t window_s = 60;  // over which consumption is added up; starts at whole multiples
  bool heat_split = true;
  std::int64_t heat_threshold_pct = 90;  // of what a partition serves in a window
  std::int64_t heat_windows = 5;         // so many in a row
  std::int64_t split_duration_s = 300;
  // The guide of 2023 says that provisioned tables with a stream are not split for heat.
  bool heat_split_with_streams = false;

  // How long a raise of warm throughput takes: 272 to 514 s were measured for a first one, about
  // 2 s for a further one.
  std::int64_t first_warming_s = 390;
  std::int64_t further_warming_s = 2;

  IndexErrors index_errors = IndexErrors::ByCause;

  AdaptiveMode adaptive_mode = AdaptiveMode::Instant;
  std::int64_t adaptive_delay_s = 900;
};

}  // namespace stator::capacity
