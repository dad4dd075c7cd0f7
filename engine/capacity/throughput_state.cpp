#include "engine/capacity/throughput_state.h"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

constexpr std::int64_t kMicroPerMilli = kMicroPerUnit / kMilliPerUnit;
constexpr std::size_t kAccessedKeys = 12;
constexpr std::size_t kThrottledKeys = 8;
// A partition's places are watched from this part of a hot window on.
constexpr std::int64_t kWatchedPart = 10;

std::vector<Position> first_ranges(const CapacitySettings& settings,
                                   const CapacityParameters& parameters, const Throughput& warm) {
  const Throughput& limits = settings.provisioned;
  const std::uint32_t wanted =
      settings.mode == BillingMode::PayPerRequest
          ? on_demand_partitions(
                {std::max(warm.read_units, parameters.on_demand_initial.read_units),
                 std::max(warm.write_units, parameters.on_demand_initial.write_units)},
                parameters.partition_limits, parameters.on_demand_partitions_min)
          : std::max(provisioned_partitions(limits, parameters.partition_limits,
                                            parameters.partition_formula),
                     on_demand_partitions(warm, parameters.partition_limits, 1));
  return PartitionMap::equal_ranges(std::min(wanted, parameters.partitions_max));
}

std::vector<Position> kept_ranges(const KeptThroughput& kept) {
  assert(!kept.partitions.empty());
  std::vector<Position> begins;
  for (const KeptThroughput::Part& part : kept.partitions) begins.push_back(part.begin);
  return begins;
}

bool is_open(const Partition::Side& side, Timestamp now) {
  return side.limit.is_open(now) && side.share.is_open(now);
}

void add_to(std::atomic<SharedKeySketch*>& sketch, std::size_t entries, const Place& place,
            std::int64_t units_milli) {
  SharedKeySketch* known = sketch.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto made = std::make_unique<SharedKeySketch>(entries, kShownKeyBytes);
    if (sketch.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
    }
  }
  known->add(place.hash, place.partition, units_milli);
}

}  // namespace

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const std::vector<Position>& begins, const ThroughputState* table)
    : of_(of),
      parameters_(parameters),
      is_on_demand_(settings.mode == BillingMode::PayPerRequest),
      divides_collections_(!settings.has_local_index),
      due_us_(0),
      partitions_(begins, *parameters_, now),
      settings_(settings),
      refreshed_(now) {
  const bool shares =
      table != nullptr && parameters_->account_scope == AccountScope::TableWithIndexes;
  account_ = shares ? table->account_ : std::make_shared<AccountBuckets>();
  const std::int64_t window_us = parameters_->window_s * kMicroPerUnit;
  window_end_ = {(now.unix_us / window_us + 1) * window_us};
  set_due();
}

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const Throughput& warm, const ThroughputState* table)
    : ThroughputState(of, settings, parameters, now, first_ranges(settings, *parameters, warm),
                      table) {
  const Throughput& initial =
      is_on_demand() ? parameters_->on_demand_initial : settings.provisioned;
  warm_ = {std::max(warm.read_units, initial.read_units),
           std::max(warm.write_units, initial.write_units)};
  begin_peaks();
  begin_buckets(now, parameters_->initial_burst_s);
}

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const KeptThroughput& kept, const ThroughputState* table)
    : ThroughputState(of, settings, parameters, now, kept_ranges(kept), table) {
  for (const KeptThroughput::Part& part : kept.partitions) {
    partitions_.at({.hash = part.begin.hash, .sort = part.begin.sort}).size_bytes = part.size_bytes;
    if (!part.begin.sort.empty()) has_divided_ = true;
  }
  warm_ = kept.warm;
  was_warmed_ = kept.was_warmed;
  splits_ = kept.splits;
  on_demand_switches_ = kept.on_demand_switches;
  for (std::size_t i = 0; i < kDimensions; ++i) sides_[i].peak_milli = kept.peaks_milli[i];
  for (const PartitionSplit& due : kept.splits_due) {
    partitions_.at({.hash = due.boundary.hash, .sort = due.boundary.sort}).is_splitting = true;
    schedule({.at = due.at, .what = Timer::What::HeatSplit, .boundary = due.boundary});
  }
  for (const Warming& growth : kept.growths_due) {
    schedule({.at = growth.at, .what = Timer::What::Grow, .warm_to = growth.to});
  }
  if (kept.warming) {
    schedule({.at = kept.warming->at, .what = Timer::What::Warm, .warm_to = kept.warming->to});
  }
  if (kept.balances && kept.mode == settings.mode) {
    resume(*kept.balances, now);
  } else {
    begin_after_pause(kept.as_of, now);
  }
}

ThroughputState::~ThroughputState() {
  delete accessed_.load(std::memory_order_relaxed);
  for (const auto& keys : throttled_) delete keys.load(std::memory_order_relaxed);
  delete tally_.load(std::memory_order_relaxed);
}

bool ThroughputState::has_shares() const {
  return !is_on_demand() && parameters_->adaptive_mode != AdaptiveMode::Instant;
}

std::int64_t ThroughputState::limit_units(Dimension dimension) const {
  const PartitionLimits& limits = parameters_->partition_limits;
  return dimension == Dimension::Read ? limits.read_units : limits.write_units;
}

std::int64_t ThroughputState::hot_milli(Dimension dimension) const {
  return limit_units(dimension) * parameters_->window_s * kMilliPerUnit *
         parameters_->heat_threshold_pct / 100;
}

void ThroughputState::settle(Timestamp now) {
  if (now.unix_us < due_us_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  settle_locked(now);
  if (watcher_ == nullptr) return;
  is_awaited_ = watcher_->keeps();
  if (is_awaited_ && balances_due_ == Timestamp::max()) {
    balances_due_ = now.plus(kBalancesKeptAfter);
  }
  ask_for_look();
}

std::optional<Limit> ThroughputState::exhausted(Dimension dimension, Timestamp now) const {
  const bool on_demand = is_on_demand();
  if (!side(dimension).own.is_open(now)) {
    return on_demand ? Limit::MaxOnDemandThroughput : Limit::ProvisionedThroughput;
  }
  if (on_demand && !account(dimension).is_open(now)) return Limit::Account;
  return std::nullopt;
}

bool ThroughputState::serves(Dimension dimension, const Place& place, Timestamp now) const {
  return is_open(partitions_.at(place).side(dimension), now);
}

bool ThroughputState::may_refuse(Dimension dimension, Timestamp now) {
  constexpr std::size_t kAskedMax = 16;
  settle(now);
  if (partitions_.count() > kAskedMax || exhausted(dimension, now)) return true;
  const std::vector<Partition*> all = partitions_.all();
  return std::any_of(all.begin(), all.end(), [&](const Partition* partition) {
    return !is_open(partition->side(dimension), now);
  });
}

std::vector<Position> ThroughputState::begins_from(const Place& place, const Position& end) const {
  // Most ranges lie in one partition, which is found without looking at the others.
  const Partition& first = partitions_.at(place);
  if (&first == &partitions_.at({.hash = end.hash, .sort = end.sort})) return {first.begin};
  std::vector<Position> begins;
  for (const Partition* partition : partitions_.all()) {
    const Position& begin = partition->begin;
    if (begin >= end && !begins.empty()) break;
    if (compare(place, begin) >= 0) begins.clear();
    begins.push_back(begin);
  }
  return begins;
}

void ThroughputState::draw(Dimension dimension, const Place& place, std::int64_t units_milli,
                           Timestamp now) {
  const std::int64_t units_micro = units_milli * kMicroPerMilli;
  side(dimension).own.take(units_micro, now);
  if (is_on_demand()) account(dimension).take(units_micro, now);
  Partition::Side& partition = partitions_.at(place).side(dimension);
  partition.limit.take(units_micro, now);
  partition.share.take(units_micro, now);
}

void ThroughputState::give_back(Dimension dimension, const Place& place, std::int64_t units_milli) {
  const std::int64_t units_micro = units_milli * kMicroPerMilli;
  side(dimension).own.give_back(units_micro);
  if (is_on_demand()) account(dimension).give_back(units_micro);
  Partition::Side& partition = partitions_.at(place).side(dimension);
  partition.limit.give_back(units_micro);
  partition.share.give_back(units_micro);
}

void ThroughputState::count_consumed(Dimension dimension, const Place& place,
                                     std::int64_t units_milli) {
  side(dimension).consumed_milli.fetch_add(units_milli, std::memory_order_relaxed);
  Partition& partition = partitions_.at(place);
  partition.side(dimension).window_milli.fetch_add(units_milli, std::memory_order_relaxed);
  feel_heat(partition, dimension, place, units_milli, /*was_refused=*/false);
  // A part of a Scan has no key.
  if (!place.partition.empty()) add_to(accessed_, kAccessedKeys, place, units_milli);
}

void ThroughputState::count_refused(Dimension dimension, const Place& place,
                                    std::int64_t units_milli, std::optional<Limit> by,
                                    Timestamp now) {
  side(dimension).refused_milli.fetch_add(units_milli, std::memory_order_relaxed);
  Partition& partition = partitions_.at(place);
  const bool by_partition = by == Limit::KeyRangeThroughput;
  feel_heat(partition, dimension, place, units_milli, by_partition);
  if (!by) return;
  side(dimension).refused[static_cast<std::size_t>(*by)].fetch_add(1, std::memory_order_relaxed);
  partition.side(dimension).refused.fetch_add(1, std::memory_order_relaxed);
  if (!place.partition.empty()) {
    add_to(throttled_[static_cast<std::size_t>(dimension)], kThrottledKeys, place, units_milli);
  }
  if (!by_partition || !has_shares() || parameters_->adaptive_mode != AdaptiveMode::Delayed) return;
  const std::lock_guard lock(mutex_);
  if (partition.side(dimension).is_boosted) return;
  partition.side(dimension).is_boosted = true;
  const std::chrono::seconds delay(parameters_->adaptive_delay_s);
  schedule({.at = now.plus(delay),
            .what = Timer::What::Boost,
            .boundary = partition.begin,
            .dimension = dimension});
}

// Cold partitions are not watched: a watch costs some kilobytes, and stays.
void ThroughputState::feel_heat(Partition& partition, Dimension dimension, const Place& place,
                                std::int64_t units_milli, bool was_refused) {
  if (!parameters_->heat_split) return;
  Partition::Side& felt = partition.side(dimension);
  HeatWatch* watch = felt.watch.load(std::memory_order_acquire);
  if (watch == nullptr) {
    const bool is_warm =
        felt.window_milli.load(std::memory_order_relaxed) >= hot_milli(dimension) / kWatchedPart;
    if (!is_warm && !was_refused) return;
    watch = &felt.watched(static_cast<std::size_t>(parameters_->heat_windows));
  }
  const bool divides = divides_collections_.load(std::memory_order_relaxed);
  watch->add({.hash = place.hash, .sort = divides ? place.sort : std::string_view()}, units_milli);
}

}  // namespace stator::capacity
