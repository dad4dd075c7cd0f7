#include "engine/throughput/table_partitions.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/schema/capacity.h"
#include "engine/schema/stream.h"

namespace stator::capacity {
namespace {

// A partition that grew by a sixteenth of its limit, at least 1 MB, is persisted again; and one
// that could not be split is tried again.
constexpr std::int64_t kParts = 16;
constexpr std::int64_t kPartBytesMin = 1 << 20;
// Each may be a boundary between shards of the table's stream.
constexpr std::size_t kSplitsMax = kOpenShardsMax - 1;
constexpr std::uint32_t kCheckedMax = 16;

bool is_over(const Partition& partition, const CapacityParameters& parameters) {
  const std::int64_t size_bytes = partition.size_bytes.load(std::memory_order_relaxed);
  return size_bytes > parameters.partition_bytes_max &&
         size_bytes >= partition.whole_until_bytes.load(std::memory_order_relaxed);
}

bool is_open(const Partition::Side& side, Timestamp now) {
  return side.limit.is_open(now) && side.share.is_open(now);
}

}  // namespace

TablePartitions::TablePartitions(const std::vector<Position>& begins,
                                 const CapacityParameters& parameters, Timestamp now)
    : parameters_(parameters), map_(begins, parameters, now) {}

std::vector<Position> TablePartitions::first_begins(const CapacitySettings& settings,
                                                    const CapacityParameters& parameters,
                                                    const Throughput& warm) {
  const Throughput& limits = settings.provisioned;
  const std::uint32_t wanted =
      settings.mode == BillingMode::PayPerRequest
          ? on_demand_partitions(highest(warm, parameters.on_demand_initial),
                                 parameters.partition_limits, parameters.on_demand_partitions_min)
          : std::max(provisioned_partitions(limits, parameters.partition_limits,
                                            parameters.partition_formula),
                     on_demand_partitions(warm, parameters.partition_limits, 1));
  return PartitionMap::equal_ranges(std::min(wanted, parameters.partitions_max));
}

std::vector<Position> TablePartitions::persisted_begins(const PersistedThroughput& persisted) {
  assert(!persisted.partitions.empty());
  std::vector<Position> begins;
  for (const PersistedThroughput::Part& part : persisted.partitions) begins.push_back(part.begin);
  return begins;
}

void TablePartitions::restore(const PersistedThroughput& persisted) {
  for (const PersistedThroughput::Part& part : persisted.partitions) {
    at(part.begin).size_bytes = part.size_bytes;
    if (!part.begin.sort.empty()) has_divided_ = true;
  }
  splits_ = persisted.splits;
  for (const PartitionSplit& due : persisted.splits_due) at(due.boundary).is_splitting = true;
}

std::vector<PersistedThroughput::Part> TablePartitions::persistent_form() const {
  std::vector<PersistedThroughput::Part> parts;
  for (const Partition* partition : all())
    parts.push_back({partition->begin, partition->known_bytes()});
  return parts;
}

bool TablePartitions::serves(Dimension dimension, const Place& place, Timestamp now) const {
  return is_open(at(place).side(dimension), now);
}

bool TablePartitions::may_refuse(Dimension dimension, Timestamp now) const {
  if (count() > kCheckedMax) return true;
  const std::vector<Partition*> partitions = all();
  return std::any_of(partitions.begin(), partitions.end(), [&](const Partition* partition) {
    return !is_open(partition->side(dimension), now);
  });
}

std::vector<Position> TablePartitions::begins_from(const Place& place, const Position& end) const {
  // Most ranges are in one partition, which is found without visiting the others.
  const Partition& first = at(place);
  if (&first == &at(end)) return {first.begin};
  std::vector<Position> begins;
  for (const Partition* partition : all()) {
    const Position& begin = partition->begin;
    if (begin >= end && !begins.empty()) break;
    if (compare(place, begin) >= 0) begins.clear();
    begins.push_back(begin);
  }
  return begins;
}

TablePartitions::Growth TablePartitions::add_bytes(const Place& place, std::int64_t size_bytes) {
  Partition& partition = at(place);
  const std::int64_t before = partition.size_bytes.fetch_add(size_bytes, std::memory_order_relaxed);
  has_new_bytes_.store(true, std::memory_order_release);  // after the bytes, for was_persisted()
  const std::int64_t part = std::max(parameters_.partition_bytes_max / kParts, kPartBytesMin);
  const bool is_notable = count() > 1 && before / part != (before + size_bytes) / part;
  return {is_over(partition, parameters_), is_notable};
}

TablePartitions::Range TablePartitions::range_of(const Place& place) const {
  const Partition& partition = at(place);
  Range range{partition.begin, kHashesEnd, partition.size_bytes.load(std::memory_order_relaxed),
              is_over(partition, parameters_)};
  for (const Partition* other : all()) {
    if (other->begin <= partition.begin) continue;
    range.hash_end = other->begin.sort.empty() ? other->begin.hash : other->begin.hash + 1;
    break;
  }
  return range;
}

void TablePartitions::mark_unsplittable(const Place& place) {
  Partition& partition = at(place);
  partition.whole_until_bytes.store(partition.size_bytes.load(std::memory_order_relaxed) +
                                        parameters_.partition_bytes_max / kParts + 1,
                                    std::memory_order_relaxed);
}

void TablePartitions::set_size(std::int64_t size_bytes) {
  const std::vector<Partition*> partitions = all();
  std::int64_t known_bytes = 0;
  for (const Partition* partition : partitions) known_bytes += partition->known_bytes();
  const double scale =
      known_bytes == 0 ? 0 : static_cast<double>(size_bytes) / static_cast<double>(known_bytes);
  const auto count = static_cast<std::int64_t>(partitions.size());
  std::int64_t left_bytes = size_bytes;
  for (Partition* partition : partitions) {
    const std::int64_t part_bytes =
        known_bytes == 0
            ? size_bytes / count
            : static_cast<std::int64_t>(scale * static_cast<double>(partition->known_bytes()));
    partition->size_bytes = part_bytes;
    left_bytes -= part_bytes;
  }
  partitions.front()->size_bytes += left_bytes;  // from rounding
}

void TablePartitions::was_persisted(const PersistedThroughput& persisted) {
  // Bytes added concurrently are either seen here or set the flag again afterwards.
  has_new_bytes_.exchange(false, std::memory_order_acq_rel);
  const std::vector<Partition*> partitions = all();
  const bool is_same = std::equal(
      partitions.begin(), partitions.end(), persisted.partitions.begin(),
      persisted.partitions.end(),
      [](const Partition* now, const auto& then) { return now->known_bytes() == then.size_bytes; });
  if (!is_same) has_new_bytes_.store(true, std::memory_order_relaxed);
}

std::optional<TablePartitions::ConsumedUnits> TablePartitions::split(const Position& boundary,
                                                                     SplitCause cause,
                                                                     Timestamp at) {
  Partition& whole = this->at(boundary);
  if (map_.split(boundary, parameters_, at) == nullptr) return std::nullopt;
  if (!boundary.sort.empty()) has_divided_.store(true, std::memory_order_relaxed);
  ConsumedUnits consumed{};
  for (std::size_t i = 0; i < kDimensions; ++i)
    consumed[i] = whole.sides[i].window_milli.exchange(0, std::memory_order_relaxed);
  if (splits_.size() >= kSplitsMax) splits_.erase(splits_.begin());
  splits_.push_back({at, boundary, cause});
  return consumed;
}

void TablePartitions::set_halves(const Partition& whole, std::int64_t low_bytes,
                                 std::int64_t total_bytes) {
  PartitionHalves* halves = whole.halves.load(std::memory_order_acquire);
  halves->low.size_bytes.store(low_bytes, std::memory_order_relaxed);
  halves->high.size_bytes.store(total_bytes - low_bytes, std::memory_order_relaxed);
}

std::vector<Position> TablePartitions::middles() const {
  std::vector<Position> middles;
  const std::vector<Partition*> partitions = all();
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const std::uint32_t begin = partitions[i]->begin.hash;
    const std::uint32_t end =
        i + 1 < partitions.size() ? partitions[i + 1]->begin.hash : kHashesEnd;
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (middle > begin) middles.push_back({middle, {}});
  }
  return middles;
}

std::vector<std::uint32_t> TablePartitions::split_hashes() const {
  std::vector<std::uint32_t> hashes;
  for (const PartitionSplit& split : splits_) {
    if (split.boundary.sort.empty()) hashes.push_back(split.boundary.hash);
  }
  return hashes;
}

void TablePartitions::refresh(Timestamp last, Timestamp now) {
  for (Partition* partition : all()) {
    for (Partition::Side& part : partition->sides) {
      part.limit.refresh(last, now);
      part.share.refresh(last, now);
    }
  }
}

void TablePartitions::report(Timestamp now, ThroughputReport& report) const {
  report.splits = splits_;
  for (const Partition* partition : all()) {
    ThroughputReport::Part part{partition->begin, partition->known_bytes(), {}};
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Partition::Side& from = partition->sides[i];
      part.sides[i] = {reported(from.limit, now), from.minute_milli, from.refused};
    }
    report.partitions.push_back(std::move(part));
  }
}

}  // namespace stator::capacity
