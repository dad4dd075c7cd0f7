// The bytes of a table's partitions, and their splits for size.
#include <algorithm>

#include "engine/capacity/throughput_state.h"

namespace stator::capacity {
namespace {

// A partition that grew by one part in so many, or by so much, is kept again, and one that could
// not be split is tried again.
constexpr std::int64_t kParts = 16;
constexpr std::int64_t kPartBytesMin = 1 << 20;

bool is_over(const Partition& partition, const CapacityParameters& parameters) {
  const std::int64_t size_bytes = partition.size_bytes.load(std::memory_order_relaxed);
  return size_bytes > parameters.partition_bytes_max &&
         size_bytes >= partition.whole_until_bytes.load(std::memory_order_relaxed);
}

}  // namespace

bool ThroughputState::add_bytes(const Place& place, std::int64_t size_bytes) {
  Partition& partition = partitions_.at(place);
  const std::int64_t before = partition.size_bytes.fetch_add(size_bytes, std::memory_order_relaxed);
  has_new_bytes_.store(true, std::memory_order_release);  // behind them, for was_kept()
  const std::int64_t part = std::max(parameters_->partition_bytes_max / kParts, kPartBytesMin);
  if (partition_count() > 1 && before / part != (before + size_bytes) / part) keep_again();
  return is_over(partition, *parameters_);
}

ThroughputState::Range ThroughputState::range_of(const Place& place) const {
  const Partition& partition = partitions_.at(place);
  Range range{partition.begin, kHashesEnd, partition.size_bytes.load(std::memory_order_relaxed),
              is_over(partition, *parameters_)};
  for (const Partition* other : partitions_.all()) {
    if (other->begin <= partition.begin) continue;
    range.hash_end = other->begin.sort.empty() ? other->begin.hash : other->begin.hash + 1;
    break;
  }
  return range;
}

void ThroughputState::keep_whole(const Place& place) {
  Partition& partition = partitions_.at(place);
  partition.whole_until_bytes.store(partition.size_bytes.load(std::memory_order_relaxed) +
                                        parameters_->partition_bytes_max / kParts + 1,
                                    std::memory_order_relaxed);
}

bool ThroughputState::split_for_size(const Position& boundary, std::int64_t low_bytes,
                                     Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  const Partition& whole = partitions_.at({.hash = boundary.hash, .sort = boundary.sort});
  const std::int64_t size_bytes = whole.size_bytes.load(std::memory_order_relaxed);
  if (!split(boundary, SplitCause::Size, now)) return false;
  PartitionHalves* halves = whole.halves.load(std::memory_order_acquire);
  halves->low.size_bytes.store(low_bytes, std::memory_order_relaxed);
  halves->high.size_bytes.store(size_bytes - low_bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace stator::capacity
