// Plain values around a ThroughputState: what it is set to, what is kept of it over a restart, and
// what it tells of itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/capacity/key_sketch.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator::capacity {

// So much of a key is kept to name it by.
inline constexpr std::size_t kShownKeyBytes = 64;

// What the table's description says of a table or an index.
struct CapacitySettings {
  BillingMode mode = BillingMode::Provisioned;
  Throughput provisioned = {};      // provisioned mode
  OnDemandThroughput maximum = {};  // on demand
  bool has_stream = false;          // enabled
  bool has_local_index = false;     // whose collections stay together
};

enum class SplitCause : std::uint8_t { Throughput, Heat, Size };

// A partition that becomes, or became, two.
struct PartitionSplit {
  Timestamp at;
  Position boundary;  // where the second one begins
  SplitCause cause = SplitCause::Throughput;
};

// Throughput that will be there at once, from a time on.
struct Warming {
  Timestamp at;
  Throughput to;  // what is less than there is changes nothing
};

struct ServedAtOnce {
  Throughput units;
  bool is_warming = false;  // more was asked for and is not there yet
};

// What buckets have, of those that are not full: the others lack nothing.
struct KeptBalances {
  struct Bucket {
    std::uint32_t number = 0;  // as ThroughputState counts them
    std::int64_t balance_micro = 0;
    bool operator==(const Bucket&) const = default;
  };
  Timestamp as_of;
  std::vector<Bucket> lacking;  // numbers rise
};

// How many buckets there are: of reads and of writes the table's own and the account's, and two of
// each partition.
constexpr std::size_t bucket_count(std::size_t partitions) {
  return 2 * kDimensions * (1 + partitions);
}

// Kept over a restart. Settings are not, also such as are to come: the table's description has
// them.
struct KeptThroughput {
  BillingMode mode = BillingMode::Provisioned;  // in which the rest came about
  struct Part {
    Position begin;
    std::int64_t size_bytes = 0;
  };
  std::vector<Part> partitions;        // in order, from {0, ""}; not empty
  std::vector<PartitionSplit> splits;  // the last ones that happened
  std::vector<PartitionSplit> splits_due;
  std::vector<Warming> growths_due;  // of traffic
  std::optional<Warming> warming;    // that was asked for
  bool was_warmed = false;
  Throughput warm;
  // The highest consumption in one window, in thousandths of a unit.
  std::array<std::int64_t, kDimensions> peaks_milli{};
  // When a table was last changed to on-demand mode, as far as it counts (change_quotas.h); rising.
  std::vector<Timestamp> on_demand_switches;
  // Empty: older programs did not keep them. Buckets are new ones then that had a pause since
  // `as_of`.
  std::optional<KeptBalances> balances;
  Timestamp as_of;
  // For ThroughputState::was_kept(); mean nothing to another process. The version rises with each
  // change of all this but balances; these change when units are drawn.
  std::uint64_t version = 0;
  std::int64_t drawn_milli = 0;
};

// What was refused, or should have been, since it was last asked for.
struct UntoldRefusals {
  struct Side {
    std::array<std::uint64_t, kLimits> refused{};
    // Where most of them were: the partition's number from 0; empty: not known.
    std::optional<std::size_t> hottest_partition;
    // The key in it that most was asked for, cut off behind kShownKeyBytes; empty: not known.
    std::string hottest_key;
  };
  std::array<Side, kDimensions> sides;
  std::size_t partitions = 0;  // there are
};

struct ThroughputReport {
  struct Bucket {
    std::int64_t balance_micro = 0;  // below zero: a debt
    std::int64_t size_micro = 0;     // what it holds at most
  };
  struct Side {
    Bucket own;                       // the table's own; empty when it has no limit
    Bucket account;                   // on demand
    std::int64_t consumed_milli = 0;  // since it is there, as the counts of refused charges
    std::int64_t refused_milli = 0;   // what requests did not get, whoever refused them
    std::int64_t minute_milli = 0;    // consumed in the last window that ended
    std::array<std::uint64_t, kLimits> refused{};
    // A second; with so much provisioned the busiest window, the open one included, would have been
    // served.
    std::int64_t sufficient_units = 0;
  };
  struct PartitionSide {
    Bucket limit;
    std::int64_t minute_milli = 0;
    std::uint64_t refused = 0;
  };
  struct Part {
    Position begin;
    std::int64_t size_bytes = 0;
    std::array<PartitionSide, kDimensions> sides;
  };

  CapacitySettings settings;
  Throughput warm;
  std::optional<Warming> warming;    // that was asked for
  std::vector<Warming> growths_due;  // of traffic, by time
  std::array<Side, kDimensions> sides;
  std::vector<Part> partitions;
  std::vector<PartitionSplit> splits;      // the last ones that happened
  std::vector<PartitionSplit> splits_due;  // for heat
  // The heaviest first, by what was served and by what was refused. The bytes are the partition
  // key's.
  std::vector<KeySketch::Entry> accessed_keys;
  std::vector<KeySketch::Entry> throttled_keys;
};

}  // namespace stator::capacity
