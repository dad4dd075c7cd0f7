// Plain values around a ThroughputState: its settings, its persisted form and its reports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/capacity/key_sketch.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/capacity/token_bucket.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator::capacity {

inline constexpr std::array kBothDimensions = {Dimension::Read, Dimension::Write};

inline std::int64_t& units_of(Throughput& throughput, Dimension dimension) {
  return dimension == Dimension::Read ? throughput.read_units : throughput.write_units;
}
inline std::int64_t units_of(const Throughput& throughput, Dimension dimension) {
  return dimension == Dimension::Read ? throughput.read_units : throughput.write_units;
}

// Bytes of a key that name it. A sketch stores one more, which shows that a key is longer.
inline constexpr std::size_t kShownKeyBytes = 64;
inline constexpr std::size_t kSketchKeyBytes = kShownKeyBytes + 1;

// The settings of a table or an index, from the table's description.
struct CapacitySettings {
  BillingMode mode = BillingMode::Provisioned;
  Throughput provisioned = {};      // provisioned mode
  OnDemandThroughput maximum = {};  // on demand
  bool has_stream = false;          // enabled
  bool has_local_index = false;     // whose item collections stay undivided
};

enum class SplitCause : std::uint8_t { Throughput, Heat, Size };

// A partition that will be, or was, split in two.
struct PartitionSplit {
  Timestamp at;
  Position boundary;  // where the second half begins
  SplitCause cause = SplitCause::Throughput;
};

// A scheduled raise of warm throughput.
struct ScheduledThroughput {
  Timestamp at;
  Throughput to;  // values below the current ones change nothing
};

struct CurrentThroughput {
  Throughput units;
  bool is_warming = false;  // a raise was requested and is not complete
};

// Balances of the buckets that are not full.
struct PersistedBalances {
  struct Bucket {
    std::uint32_t number = 0;  // in the order of AllBuckets::for_each()
    std::int64_t balance_micro = 0;
    bool operator==(const Bucket&) const = default;
  };
  Timestamp as_of;
  std::vector<Bucket> lacking;  // numbers rise
};

// Number of buckets: for reads and writes each, the table's own, the account's, and two per
// partition.
constexpr std::size_t bucket_count(std::size_t partitions) {
  return 2 * kDimensions * (1 + partitions);
}

// The persisted form of a ThroughputState. It has no settings, current or scheduled: the table's
// description has them.
struct PersistedThroughput {
  BillingMode mode = BillingMode::Provisioned;  // the mode at that time
  struct Part {
    Position begin;
    std::int64_t size_bytes = 0;
  };
  std::vector<Part> partitions;        // in order, from {0, ""}; not empty
  std::vector<PartitionSplit> splits;  // the last ones that happened
  std::vector<PartitionSplit> splits_due;
  std::vector<ScheduledThroughput> growths_due;  // from traffic
  std::optional<ScheduledThroughput> warming;    // a requested raise
  bool was_warmed = false;
  Throughput warm;
  // Highest consumption in one window, in thousandths of a unit.
  std::array<std::int64_t, kDimensions> peaks_milli{};
  // When a table was last switched to on-demand mode, as far back as the quota counts
  // (change_quotas.h); rising.
  std::vector<Timestamp> on_demand_switches;
  // Empty if an older program stored this. Buckets are then new ones that had the time since
  // `as_of` to fill.
  std::optional<PersistedBalances> balances;
  Timestamp as_of;
  // For ThroughputState::was_persisted(); meaningless to another process. The version rises with
  // each change of the members above, except balances, which change when units are drawn.
  std::uint64_t version = 0;
  std::int64_t drawn_milli = 0;
};

// Throttled charges, enforced or observed, since the last call of take_unreported().
struct UnreportedThrottles {
  struct Side {
    std::array<std::uint64_t, kLimits> refused{};
    // The partition with most of them, from 0; empty if unknown.
    std::optional<std::size_t> hottest_partition;
    // The most requested key in that partition, truncated to kSketchKeyBytes; empty if unknown.
    std::string hottest_key;
  };
  std::array<Side, kDimensions> sides;
  std::size_t partitions = 0;  // current number
};

struct ThroughputReport {
  struct Bucket {
    std::int64_t balance_micro = 0;  // negative: a debt
    std::int64_t size_micro = 0;     // its capacity
  };
  struct Side {
    Bucket own;                       // the table's own; empty if it has no limit
    Bucket account;                   // on demand
    std::int64_t consumed_milli = 0;  // since creation; throttled charges count from there too
    std::int64_t refused_milli = 0;   // units of throttled requests, whichever state throttled them
    std::int64_t minute_milli = 0;    // consumed in the last window that ended
    std::array<std::uint64_t, kLimits> refused{};
    // Provisioned units per second that would have served the busiest window, the open one
    // included.
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
  std::optional<ScheduledThroughput> warming;    // a requested raise
  std::vector<ScheduledThroughput> growths_due;  // from traffic, by time
  std::array<Side, kDimensions> sides;
  std::vector<Part> partitions;
  std::vector<PartitionSplit> splits;      // the last ones that happened
  std::vector<PartitionSplit> splits_due;  // for heat
  // Heaviest first, by units served and by units throttled. The bytes are the partition key's.
  std::vector<KeySketch::Entry> accessed_keys;
  std::vector<KeySketch::Entry> throttled_keys;
};

// What a table or index served and throttled since its state was made. Only rises, but for the
// partitions: both halves of a split one begin at zero.
struct ThroughputUse {
  struct Side {
    std::int64_t consumed_milli = 0;
    std::array<std::uint64_t, kLimits> refused{};
  };
  struct Part {
    std::uint32_t first_hash = 0;  // the same for parts of one item collection
    std::array<std::int64_t, kDimensions> consumed_milli{};
    std::uint64_t refused = 0;  // reads and writes
  };

  std::array<Side, kDimensions> sides;
  std::vector<Part> partitions;  // in the order of positions
};

inline ThroughputReport::Bucket reported(const TokenBucket& bucket, Timestamp now) {
  return {bucket.balance_micro(now), bucket.size_micro()};
}

}  // namespace stator::capacity
