#include "engine/capacity/partition.h"

#include <algorithm>

namespace stator::capacity {
namespace {

Rate limit_of(const CapacityParameters& parameters, Dimension dimension) {
  const PartitionLimits& limits = parameters.partition_limits;
  return {.units = dimension == Dimension::Read ? limits.read_units : limits.write_units,
          .burst_s = static_cast<std::int32_t>(parameters.partition_burst_s)};
}

}  // namespace

HeatWatch& Partition::Side::watched(std::size_t windows) {
  HeatWatch* known = watch.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<HeatWatch>(windows);
  if (watch.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

Partition::Side::Side(const CapacityParameters& parameters, Dimension dimension, Timestamp now)
    : limit(limit_of(parameters, dimension), parameters.partition_burst_s, now) {}

Partition::Partition(Position from, const CapacityParameters& parameters, Timestamp now)
    : begin(std::move(from)),
      sides{Side(parameters, Dimension::Read, now), Side(parameters, Dimension::Write, now)} {}

Partition::~Partition() { delete halves.load(std::memory_order_relaxed); }

PartitionHalves::PartitionHalves(const Partition& whole, const Position& boundary,
                                 const CapacityParameters& parameters, Timestamp now)
    : low(whole.begin, parameters, now), high(boundary, parameters, now) {
  for (const Dimension dimension : {Dimension::Read, Dimension::Write}) {
    const std::int64_t balance_micro = whole.side(dimension).limit.balance_micro(now);
    low.side(dimension).limit.owe(-balance_micro, now);
    high.side(dimension).limit.owe(-balance_micro, now);
  }
  // Each half gets half of the bytes until they are counted.
  const std::int64_t size_bytes = whole.size_bytes.load(std::memory_order_relaxed);
  low.size_bytes.store(size_bytes - size_bytes / 2, std::memory_order_relaxed);
  high.size_bytes.store(size_bytes / 2, std::memory_order_relaxed);
}

PartitionMap::PartitionMap(const std::vector<Position>& begins,
                           const CapacityParameters& parameters, Timestamp now)
    : count_(begins.size()) {
  roots_.reserve(begins.size());
  for (const Position& begin : begins) {
    roots_.push_back(std::make_unique<Partition>(begin, parameters, now));
  }
}

std::vector<Position> PartitionMap::equal_ranges(std::uint32_t partitions) {
  std::vector<Position> begins;
  for (std::uint32_t i = 0; i < partitions; ++i) {
    begins.push_back({partition_begin(i, partitions), {}});
  }
  return begins;
}

Partition& PartitionMap::at(const Place& place) const {
  const auto behind =
      std::partition_point(roots_.begin() + 1, roots_.end(),
                           [&place](const auto& root) { return compare(place, root->begin) >= 0; });
  Partition* found = std::prev(behind)->get();
  while (PartitionHalves* halves = found->halves.load(std::memory_order_acquire)) {
    found = compare(place, halves->high.begin) < 0 ? &halves->low : &halves->high;
  }
  return *found;
}

std::vector<Partition*> PartitionMap::all() const {
  std::vector<Partition*> found;
  std::vector<Partition*> left;
  for (const auto& root : roots_) {
    left.push_back(root.get());
    while (!left.empty()) {
      Partition* next = left.back();
      left.pop_back();
      if (PartitionHalves* halves = next->halves.load(std::memory_order_acquire)) {
        left.push_back(&halves->high);
        left.push_back(&halves->low);
      } else {
        found.push_back(next);
      }
    }
  }
  return found;
}

const PartitionHalves* PartitionMap::split(const Position& boundary,
                                           const CapacityParameters& parameters, Timestamp now) {
  Partition& whole = at({.hash = boundary.hash, .sort = boundary.sort});
  if (count() >= parameters.partitions_max || whole.begin == boundary) return nullptr;
  auto halves = std::make_unique<PartitionHalves>(whole, boundary, parameters, now);
  whole.halves.store(halves.get(), std::memory_order_release);
  count_.fetch_add(1, std::memory_order_relaxed);
  return halves.release();
}

}  // namespace stator::capacity
