// What is changed from outside in a table's throughput, what it tells and what is kept of it.
#include <algorithm>
#include <chrono>

#include "engine/capacity/throughput_state.h"
#include "engine/schema/capacity.h"

namespace stator::capacity {

void ThroughputState::configure(const CapacitySettings& settings, Timestamp at, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Timer::What::Configure);
  if (at <= now) return apply(settings, now);
  next_settings_ = settings;
  schedule({.at = at, .what = Timer::What::Configure});
}

Timestamp ThroughputState::begin_warming(const Throughput& to, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Timer::What::Warm);
  const std::chrono::seconds duration(was_warmed_ ? parameters_->further_warming_s
                                                  : parameters_->first_warming_s);
  const Timestamp done = now.plus(duration);
  schedule({.at = done, .what = Timer::What::Warm, .warm_to = to});
  settle_locked(now);
  return done;
}

bool ThroughputState::add_bytes(const Place& place, std::int64_t size_bytes) {
  Partition& partition = partitions_.at(place);
  const std::int64_t before = partition.size_bytes.fetch_add(size_bytes, std::memory_order_relaxed);
  return before + size_bytes > parameters_->partition_bytes_max;
}

bool ThroughputState::split_for_size(const Position& boundary, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  return split(boundary, SplitCause::Size, now);
}

Throughput ThroughputState::warm() const {
  const std::lock_guard lock(mutex_);
  return warm_;
}

Timestamp ThroughputState::next_due() const {
  const std::lock_guard lock(mutex_);
  return timers_.empty() ? Timestamp::max() : timers_.front().at;
}

KeptThroughput ThroughputState::kept(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  KeptThroughput kept;
  for (const Partition* partition : partitions_.all()) {
    kept.partitions.push_back({partition->begin, partition->size_bytes});
  }
  for (const Timer& timer : timers_) {
    if (timer.what == Timer::What::HeatSplit) {
      kept.splits_due.push_back({timer.at, timer.boundary, SplitCause::Heat});
    } else if (timer.what == Timer::What::Grow) {
      kept.growths_due.push_back({timer.at, timer.warm_to});
    } else if (timer.what == Timer::What::Warm) {
      kept.warming = Warming{timer.at, timer.warm_to};
    }
  }
  kept.was_warmed = was_warmed_;
  kept.warm = warm_;
  for (std::size_t i = 0; i < kDimensions; ++i) kept.peaks_milli[i] = sides_[i].peak_milli;
  kept.as_of = now;
  return kept;
}

ThroughputReport ThroughputState::report(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  ThroughputReport report;
  report.settings = settings_;
  report.warm = warm_;
  report.splits = splits_;
  const std::int64_t window_milli = kMilliPerUnit * parameters_->window_s;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const Side& whole = sides_[i];
    ThroughputReport::Side& told = report.sides[i];
    told.balance_micro = whole.own.balance_micro(now);
    if (is_on_demand()) told.account_balance_micro = account_->sides[i].balance_micro(now);
    told.consumed_milli = whole.consumed_milli;
    told.minute_milli = whole.minute_milli;
    std::copy(whole.refused.begin(), whole.refused.end(), told.refused.begin());
    told.sufficient_units = (whole.demand_peak_milli + window_milli - 1) / window_milli;
  }
  for (const Partition* partition : partitions_.all()) {
    ThroughputReport::Part part{partition->begin, partition->size_bytes, {}};
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Partition::Side& from = partition->sides[i];
      part.sides[i] = {from.limit.balance_micro(now), from.minute_milli, from.refused};
    }
    report.partitions.push_back(std::move(part));
  }
  for (const Timer& timer : timers_) {
    if (timer.what == Timer::What::Warm) report.is_warming = true;
    if (timer.what != Timer::What::HeatSplit) continue;
    report.splits_due.push_back({timer.at, timer.boundary, SplitCause::Heat});
  }
  const auto heaviest = [](const std::atomic<SharedKeySketch*>& sketch) {
    const SharedKeySketch* keys = sketch.load(std::memory_order_acquire);
    return keys != nullptr ? keys->heaviest() : std::vector<KeySketch::Entry>();
  };
  report.accessed_keys = heaviest(accessed_);
  report.throttled_keys = heaviest(throttled_);
  return report;
}

}  // namespace stator::capacity
