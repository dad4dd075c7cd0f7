// CapacityParameters: every constant of the throughput model, as a plain value, so that tests and
// users can make a day short and a partition small.
//
// Where the sources on the service contradict each other, the choice is a parameter here, with the
// reason.
#pragma once

#include <cstdint>

#include "engine/capacity/token_bucket.h"
#include "engine/schema/partitions.h"
#include "engine/schema/table.h"

namespace stator::capacity {

// How a provisioned table's throughput reaches its partitions. Since 2019 any partition may use all
// of it (Instant). Before that each had its share only (Off), or its share and, some minutes later,
// what others left unused (Delayed); much older advice stems from that time.
enum class AdaptiveMode : std::uint8_t { Instant, Delayed, Off };

// What the quota of an on-demand table covers. One page of the documentation says that each index
// has its own quota, another that a table and its indexes share one. Measurements on the control
// plane show separate quotas, so that is the default.
enum class AccountScope : std::uint8_t { Each, TableWithIndexes };

// The error of a write that an index's partition or quota throttles. The page on global secondary
// indexes says ThrottlingException for both, in either mode. The pages on errors and on diagnosing
// throttling name the exceptions that a table has for the same cause. Two pages against one, so
// theirs is the default.
enum class IndexErrors : std::uint8_t { ByCause, AlwaysThrottling };

struct CapacityParameters {
  // Of every number of units a second.
  static constexpr std::int64_t kUnitsMax = TokenBucket::kUnitsMax;

  // How long unused throughput is saved.
  std::int64_t burst_s = 300;
  // Seconds of throughput in a new bucket. Nothing is published. On a new table of one unit, 50
  // quick writes passed and 500 units did not, so the bucket starts full, not with one second's
  // units. Other emulators choose one second.
  std::int64_t initial_burst_s = 300;
  std::int64_t on_demand_max_burst_s = 300;

  PartitionLimits partition_limits = {};
  std::int64_t partition_burst_s = 1;  // starts full
  PartitionFormula partition_formula = PartitionFormula::Additive;
  std::int64_t partition_bytes_max = std::int64_t{10} << 30;
  // Our own limit, whatever the throughput, size and heat of a table; it bounds a table's memory.
  std::uint32_t partitions_max = 1024;

  Throughput account_table = {40'000, 40'000};  // for an on-demand table or index
  std::int64_t account_burst_s = 1;             // starts full
  AccountScope account_scope = AccountScope::Each;

  std::int64_t on_demand_partitions_min = 4;
  Throughput on_demand_initial = {12'000, 4'000};
  std::int64_t growth_delay_s = 1800;  // from a new peak until twice the peak is served

  std::int64_t window_s = 60;  // consumption is summed over it; starts at whole multiples
  bool heat_split = true;
  std::int64_t heat_threshold_pct = 90;  // percent of what a partition serves in a window
  std::int64_t heat_windows = 5;         // this many in a row
  std::int64_t split_duration_s = 300;
  // The guide of 2023 says that provisioned tables with a stream are not split for heat.
  bool heat_split_with_streams = false;

  // Duration of a raise of warm throughput: 272 to 514 s were measured for a first one, about 2 s
  // for a further one.
  std::int64_t first_warming_s = 390;
  std::int64_t further_warming_s = 2;

  IndexErrors index_errors = IndexErrors::ByCause;

  AdaptiveMode adaptive_mode = AdaptiveMode::Instant;
  std::int64_t adaptive_delay_s = 900;
};

}  // namespace stator::capacity
