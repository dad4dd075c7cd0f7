// PartitionShares: each partition's part of a provisioned table's throughput, if parts are separate
// (AdaptiveMode). One thread at a time.
#pragma once

#include "engine/capacity/parameters.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"
#include "engine/throughput/table_partitions.h"
#include "engine/throughput/throughput_values.h"
#include "engine/throughput/timeline.h"

namespace stator::capacity {

class PartitionShares {
 public:
  // REQUIRES: all outlive this.
  PartitionShares(const CapacityParameters& parameters, const TablePartitions& partitions,
                  const Timeline& timeline)
      : parameters_(parameters), partitions_(partitions), timeline_(timeline) {}

  // Distributes the throughput evenly. A partition that waits for a boost still waits.
  void share_out(const CapacitySettings& settings, Timestamp now);
  // Adds to the partition's part what the others leave unused in the open window (or, if that has
  // just begun, the last one), up to what a partition serves.
  void boost(const Position& begin, Dimension dimension, Timestamp at);

 private:
  const CapacityParameters& parameters_;
  const TablePartitions& partitions_;
  const Timeline& timeline_;
};

}  // namespace stator::capacity
