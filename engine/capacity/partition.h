// Partition: a range of positions, with its limits and its demand. PartitionMap: all partitions of
// a table or an index.
//
// Partitions are split and never merged. So the map is a sorted list, made once, of trees that only
// grow: a split partition points to its two halves forever. A lookup needs no lock and no node is
// ever freed; one store publishes a split. The node of a split partition is as large as a half, so
// all nodes together cost at most twice the current partitions.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/capacity/heat_watch.h"
#include "engine/capacity/parameters.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/capacity/token_bucket.h"

namespace stator::capacity {

// Units per second that one partition serves.
inline std::int64_t limit_units(const CapacityParameters& parameters, Dimension dimension) {
  const PartitionLimits& limits = parameters.partition_limits;
  return dimension == Dimension::Read ? limits.read_units : limits.write_units;
}

struct PartitionHalves;

struct Partition {
  // State for reads or for writes.
  struct Side {
    TokenBucket limit;
    TokenBucket share;  // its part of a provisioned table's throughput, if parts are separate
    std::atomic<std::int64_t> window_milli{0};  // consumed in the open window
    std::atomic<std::int64_t> minute_milli{0};  // consumed in the window before
    std::atomic<std::int64_t> ended_milli{0};   // consumed in all windows that ended
    std::atomic<std::uint64_t> refused{0};      // throttled charges, ever
    std::atomic<HeatWatch*> watch{nullptr};     // owned; set once the partition was warm
    std::uint64_t refused_told = 0;             // part of `refused` already reported
    std::int64_t hot_windows = 0;  // in a row; only the thread that ends windows uses it
    bool is_boosted = false;       // only the thread that ends windows uses it

    Side(const CapacityParameters& parameters, Dimension dimension, Timestamp now);
    ~Side() { delete watch.load(std::memory_order_relaxed); }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    // Creates the watch at the first call. Any thread.
    HeatWatch& watched(std::size_t windows);
  };

  Partition(Position from, const CapacityParameters& parameters, Timestamp now);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  Side& side(Dimension dimension) { return sides[static_cast<std::size_t>(dimension)]; }
  const Side& side(Dimension dimension) const { return sides[static_cast<std::size_t>(dimension)]; }
  // size_bytes for reports and for persisting: never negative.
  std::int64_t known_bytes() const {
    return std::max<std::int64_t>(0, size_bytes.load(std::memory_order_relaxed));
  }

  const Position begin;
  std::array<Side, kDimensions> sides;
  // Bytes of its items and local index entries. Exact only as the sum over all partitions: bytes of
  // erased index entries are distributed over them, so this may be negative for a while.
  std::atomic<std::int64_t> size_bytes{0};
  // Set if a split for size was impossible: no further attempt below this size.
  std::atomic<std::int64_t> whole_until_bytes{0};
  bool is_splitting = false;  // for heat; only the thread that ends windows uses it
  std::atomic<PartitionHalves*> halves{nullptr};  // owned; set once split
};

struct PartitionHalves {
  PartitionHalves(const Partition& whole, const Position& boundary,
                  const CapacityParameters& parameters, Timestamp now);

  Partition low;
  Partition high;
};

class PartitionMap {
 public:
  // Starts with ranges from each of `begins`. REQUIRES: `begins` rise from {0, ""}.
  PartitionMap(const std::vector<Position>& begins, const CapacityParameters& parameters,
               Timestamp now);

  // The begins of equal ranges, as partition_of() counts them.
  static std::vector<Position> equal_ranges(std::uint32_t partitions);

  // Returns the partition of a position. Any thread.
  Partition& at(const Place& place) const;
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  // In the order of positions.
  std::vector<Partition*> all() const;

  // Splits the partition that contains the boundary. Both halves start with full buckets, or with
  // their parent's debt. Null if the number of partitions is at its limit or the first half would
  // be empty. One thread at a time.
  const PartitionHalves* split(const Position& boundary, const CapacityParameters& parameters,
                               Timestamp now);

 private:
  std::vector<std::unique_ptr<Partition>> roots_;
  std::atomic<std::size_t> count_;
};

}  // namespace stator::capacity
