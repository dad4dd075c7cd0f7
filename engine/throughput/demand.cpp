#include "engine/throughput/demand.h"

#include <algorithm>
#include <memory>
#include <string>

#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

// Adds a key to `keys`, or its units to the same key there.
void add_key(KeySketch::Entry entry, std::vector<KeySketch::Entry>& keys) {
  const auto same = std::find_if(keys.begin(), keys.end(), [&entry](const auto& known) {
    return known.hash == entry.hash && known.bytes == entry.bytes;
  });
  if (same == keys.end()) return keys.push_back(std::move(entry));
  same->units_milli += entry.units_milli;
  same->error_milli += entry.error_milli;
}

std::uint64_t take_new(const std::atomic<std::uint64_t>& count, std::uint64_t& reported) {
  const std::uint64_t known = count.load(std::memory_order_relaxed);
  return known - std::exchange(reported, known);
}

std::vector<KeySketch::Entry> heaviest(const LateKeySketch& keys) {
  const SharedKeySketch* sketch = keys.sketch();
  return sketch != nullptr ? sketch->heaviest() : std::vector<KeySketch::Entry>();
}

// The heaviest key with a position in the partition; empty if none.
std::string hottest_in(const std::vector<Partition*>& partitions, std::size_t at,
                       const std::vector<KeySketch::Entry>& keys) {
  const std::uint32_t first = partitions[at]->begin.hash;
  std::uint32_t end = kHashesEnd;
  if (at + 1 < partitions.size()) {
    const Position& next = partitions[at + 1]->begin;
    end = next.sort.empty() ? next.hash : next.hash + 1;
  }
  const KeySketch::Entry* heaviest = nullptr;
  for (const KeySketch::Entry& key : keys) {
    if (key.hash < first || key.hash >= end) continue;
    if (heaviest == nullptr || key.unreported_milli > heaviest->unreported_milli) heaviest = &key;
  }
  return heaviest == nullptr ? std::string() : heaviest->bytes;
}

}  // namespace

void LateKeySketch::add(const Place& place, std::int64_t units_milli) {
  SharedKeySketch* known = sketch();
  if (known == nullptr) {
    auto made = std::make_unique<SharedKeySketch>(entries_, kSketchKeyBytes);
    if (sketch_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
    }
  }
  known->add(place.hash, place.partition, units_milli);
}

void Demand::count_consumed(Dimension dimension, const Place& place, std::int64_t units_milli) {
  side(dimension).consumed_milli.fetch_add(units_milli, std::memory_order_relaxed);
  // A part of a Scan has no key.
  if (!place.partition.empty()) accessed_.add(place, units_milli);
}

void Demand::count_refused(Dimension dimension, const Place& place, std::int64_t units_milli,
                           std::optional<Limit> by) {
  Side& refused = side(dimension);
  refused.refused_milli.fetch_add(units_milli, std::memory_order_relaxed);
  if (!by) return;
  refused.refused[static_cast<std::size_t>(*by)].fetch_add(1, std::memory_order_relaxed);
  if (place.partition.empty()) return;
  throttled_[static_cast<std::size_t>(dimension)].add(place, units_milli);
}

std::int64_t Demand::drawn_milli() const {
  std::int64_t drawn_milli = 0;
  for (const Side& one : sides_) drawn_milli += one.consumed_milli.load(std::memory_order_relaxed);
  return drawn_milli;
}

std::int64_t Demand::counted_milli() const {
  std::int64_t counted_milli = drawn_milli();
  for (const Side& one : sides_) counted_milli += one.refused_milli.load(std::memory_order_relaxed);
  return counted_milli;
}

Demand::Window Demand::end_window(Dimension dimension, std::int64_t partitions_milli) {
  Side& whole = side(dimension);
  Window ended;
  ended.consumed_milli = std::exchange(whole.carried_milli, 0) + partitions_milli;
  const std::int64_t all_refused_milli = whole.refused_milli.load(std::memory_order_relaxed);
  ended.refused_milli =
      all_refused_milli - std::exchange(whole.refused_before_milli, all_refused_milli);
  whole.minute_milli = ended.consumed_milli;
  whole.demand_peak_milli =
      std::max(whole.demand_peak_milli, ended.consumed_milli + ended.refused_milli);
  return ended;
}

void Demand::halve_keys() {
  for (const LateKeySketch* keys : {&accessed_, &throttled_.front(), &throttled_.back()}) {
    if (SharedKeySketch* sketch = keys->sketch()) sketch->halve();
  }
}

void Demand::report(const std::vector<Partition*>& partitions, std::int64_t window_s,
                    ThroughputReport& report) const {
  const std::int64_t window_milli = kMilliPerUnit * window_s;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const Side& whole = sides_[i];
    ThroughputReport::Side& shown = report.sides[i];
    shown.consumed_milli = whole.consumed_milli;
    shown.refused_milli = whole.refused_milli;
    shown.minute_milli = whole.minute_milli;
    std::copy(whole.refused.begin(), whole.refused.end(), shown.refused.begin());
    std::int64_t open_milli =
        whole.carried_milli + whole.refused_milli.load() - whole.refused_before_milli;
    for (const Partition* partition : partitions)
      open_milli += partition->sides[i].window_milli.load();
    const std::int64_t busiest_milli = std::max(whole.demand_peak_milli, open_milli);
    shown.sufficient_units = (busiest_milli + window_milli - 1) / window_milli;
  }
  report.accessed_keys = heaviest(accessed_);
  report.throttled_keys = heaviest(throttled_[0]);
  for (KeySketch::Entry& entry : heaviest(throttled_[1]))
    add_key(std::move(entry), report.throttled_keys);
  std::stable_sort(
      report.throttled_keys.begin(), report.throttled_keys.end(),
      [](const auto& left, const auto& right) { return left.units_milli > right.units_milli; });
}

ThroughputUse Demand::use(const std::vector<Partition*>& partitions) const {
  ThroughputUse use;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    use.sides[i].consumed_milli = sides_[i].consumed_milli;
    std::copy(sides_[i].refused.begin(), sides_[i].refused.end(), use.sides[i].refused.begin());
  }
  for (const Partition* partition : partitions) {
    ThroughputUse::Part part{partition->begin.hash, {}, 0};
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Partition::Side& side = partition->sides[i];
      part.consumed_milli[i] = side.ended_milli + side.window_milli;
      part.refused += side.refused;
    }
    use.partitions.push_back(part);
  }
  return use;
}

UnreportedThrottles Demand::take_unreported(const std::vector<Partition*>& partitions) {
  UnreportedThrottles untold;
  untold.partitions = partitions.size();
  for (std::size_t i = 0; i < kDimensions; ++i) {
    UnreportedThrottles::Side& side = untold.sides[i];
    for (std::size_t limit = 0; limit < kLimits; ++limit)
      side.refused[limit] = take_new(sides_[i].refused[limit], sides_[i].refused_reported[limit]);
    std::uint64_t most = 0;
    for (std::size_t at = 0; at < partitions.size(); ++at) {
      Partition::Side& part = partitions[at]->sides[i];
      const std::uint64_t refused = take_new(part.refused, part.refused_told);
      if (refused <= most) continue;
      most = refused;
      side.hottest_partition = at;
    }
    SharedKeySketch* keys = throttled_[i].sketch();
    if (keys == nullptr || !side.hottest_partition) continue;
    side.hottest_key = hottest_in(partitions, *side.hottest_partition, keys->take_unreported());
  }
  return untold;
}

ThrottleTally& Demand::begin_tally(TallyOf of) {
  auto made = std::make_unique<ThrottleTally>(std::move(of));
  ThrottleTally* known = nullptr;
  if (tally_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

}  // namespace stator::capacity
