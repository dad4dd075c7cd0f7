// PartitionHeat: finds partitions that are hot for several windows, and where to split them.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/capacity/parameters.h"
#include "engine/capacity/partition.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"

namespace stator::capacity {

class PartitionHeat {
 public:
  // REQUIRES: the parameters outlive this.
  explicit PartitionHeat(const CapacityParameters& parameters) : parameters_(parameters) {}

  // Notes a charge, served or throttled by `partition` itself. Any thread; never waits. With
  // `divides_collections` a split may be inside an item collection.
  void feel(Partition& partition, Dimension dimension, const Place& place, std::int64_t units_milli,
            bool was_refused, bool divides_collections) const;
  // Ends the open window of the partition. Returns where to split it if it is hot, which then
  // counts as splitting. One thread at a time.
  std::optional<Position> end_window(Partition& partition, Dimension dimension,
                                     bool may_split) const;

 private:
  std::int64_t hot_milli(Dimension dimension) const;

  const CapacityParameters& parameters_;
};

}  // namespace stator::capacity
