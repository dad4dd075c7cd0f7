// What is changed from outside in a table's throughput, and what it tells.
#include <algorithm>
#include <chrono>

#include "engine/capacity/change_quotas.h"
#include "engine/capacity/throughput_state.h"
#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

const auto kSwitchesKept = static_cast<std::size_t>(ChangeQuotas().mode_switches);

}  // namespace

void ThroughputState::configure(const CapacitySettings& settings, Timestamp at, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Timer::What::Configure);
  // A change that is on its way is counted already.
  const bool is_switch = settings.mode != (next_settings_ ? *next_settings_ : settings_).mode;
  next_settings_.reset();
  if (is_switch && settings.mode == BillingMode::PayPerRequest) {
    if (on_demand_switches_.size() >= kSwitchesKept)
      on_demand_switches_.erase(on_demand_switches_.begin());
    on_demand_switches_.push_back(now);
  }
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
  set_changed();
  if (highest(warm_, to) == warm_) return now;
  const Timestamp done = now.plus(duration);
  schedule({.at = done, .what = Timer::What::Warm, .warm_to = to});
  settle_locked(now);
  return done;
}

void ThroughputState::divide(std::uint32_t partitions, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  for (std::uint32_t i = 1; i < partitions; ++i)
    split({partition_begin(i, partitions), {}}, SplitCause::Throughput, now);
}

Throughput ThroughputState::warm() const {
  const std::lock_guard lock(mutex_);
  return warm_;
}

ServedAtOnce ThroughputState::served_at_once(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  return {warm_, is_warming()};
}

bool ThroughputState::is_warming() const {
  return std::any_of(timers_.begin(), timers_.end(),
                     [](const Timer& timer) { return timer.what == Timer::What::Warm; });
}

std::vector<Timestamp> ThroughputState::on_demand_switches() const {
  const std::lock_guard lock(mutex_);
  return on_demand_switches_;
}

std::vector<std::uint32_t> ThroughputState::split_hashes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> hashes;
  for (const PartitionSplit& split : splits_) {
    if (split.boundary.sort.empty()) hashes.push_back(split.boundary.hash);
  }
  return hashes;
}

bool ThroughputState::divides_stream() const {
  const std::lock_guard lock(mutex_);
  return of_ == Of::Table && settings_.has_stream &&
         std::any_of(splits_.begin(), splits_.end(),
                     [](const PartitionSplit& split) { return split.boundary.sort.empty(); });
}

Timestamp ThroughputState::next_due() const {
  const std::lock_guard lock(mutex_);
  return timers_.empty() ? Timestamp::max() : timers_.front().at;
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
    ThroughputReport::Part part{partition->begin, partition->known_bytes(), {}};
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Partition::Side& from = partition->sides[i];
      part.sides[i] = {from.limit.balance_micro(now), from.minute_milli, from.refused};
    }
    report.partitions.push_back(std::move(part));
  }
  report.is_warming = is_warming();
  for (const Timer& timer : timers_) {
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
