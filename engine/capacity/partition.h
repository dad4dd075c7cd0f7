// Partition: a range of places, what it serves and what was asked of it. PartitionMap: all of a
// table or an index.
//
// Partitions are split and never merged. So the map is a sorted list, made once, of trees that only
// grow: a partition that was split points at its two halves for ever after. Whoever looks for a
// place needs no lock and nothing is ever taken away under him; a split is published by one store.
// What a split partition leaves behind is as large as a half, so all together never cost more than
// twice the partitions there are.
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

struct PartitionHalves;

struct Partition {
  // Of reads or of writes.
  struct Side {
    TokenBucket limit;
    TokenBucket share;  // of a provisioned table's throughput, where each has its own
    std::atomic<std::int64_t> window_milli{0};  // consumed in the open window
    std::atomic<std::int64_t> minute_milli{0};  // and in the one before
    std::atomic<std::uint64_t> refused{0};      // charges, since it is there
    std::atomic<HeatWatch*> watch{nullptr};     // owned; since it was first warm
    std::uint64_t refused_told = 0;             // of refused; whoever tells
    std::int64_t hot_windows = 0;               // in a row; whoever ends windows
    bool is_boosted = false;                    // whoever ends windows

    Side(const CapacityParameters& parameters, Dimension dimension, Timestamp now);
    ~Side() { delete watch.load(std::memory_order_relaxed); }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    // Made at the first call; from any thread.
    HeatWatch& watched(std::size_t windows);
  };

  Partition(Position from, const CapacityParameters& parameters, Timestamp now);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  Side& side(Dimension dimension) { return sides[static_cast<std::size_t>(dimension)]; }
  const Side& side(Dimension dimension) const { return sides[static_cast<std::size_t>(dimension)]; }
  // What is told and kept of size_bytes.
  std::int64_t known_bytes() const {
    return std::max<std::int64_t>(0, size_bytes.load(std::memory_order_relaxed));
  }

  const Position begin;
  std::array<Side, kDimensions> sides;
  // Of its items and entries of local indexes. Only the sum over all partitions is exact: what an
  // index's entry had when it was erased is shared out, so this may be below zero for a while.
  std::atomic<std::int64_t> size_bytes{0};
  // It could not be split for size, and need not be tried again before it has so many.
  std::atomic<std::int64_t> whole_until_bytes{0};
  bool is_splitting = false;                      // for heat; whoever ends windows
  std::atomic<PartitionHalves*> halves{nullptr};  // owned; since it was split
};

struct PartitionHalves {
  PartitionHalves(const Partition& whole, const Position& boundary,
                  const CapacityParameters& parameters, Timestamp now);

  Partition low;
  Partition high;
};

class PartitionMap {
 public:
  // Begins as ranges from each of `begins`, which rise from {0, ""}.
  PartitionMap(const std::vector<Position>& begins, const CapacityParameters& parameters,
               Timestamp now);

  // Equal ranges, as partition_of() counts them.
  static std::vector<Position> equal_ranges(std::uint32_t partitions);

  // From any thread.
  Partition& at(const Place& place) const;
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  // In the order of places.
  std::vector<Partition*> all() const;

  // By one thread at a time. Both halves begin with full buckets, or with their parent's debt.
  // Null: there are partitions enough, or none could lie before the boundary.
  const PartitionHalves* split(const Position& boundary, const CapacityParameters& parameters,
                               Timestamp now);

 private:
  std::vector<std::unique_ptr<Partition>> roots_;
  std::atomic<std::size_t> count_;
};

}  // namespace stator::capacity
