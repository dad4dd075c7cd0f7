// What is changed from outside in a table's throughput, and what it tells.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/capacity/change_quotas.h"
#include "engine/capacity/throughput_state.h"
#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

const auto kSwitchesKept = static_cast<std::size_t>(ChangeQuotas().mode_switches);

// Adds a key to others; what one of them has already is more of that.
void add_key(KeySketch::Entry entry, std::vector<KeySketch::Entry>& keys) {
  const auto same = std::find_if(keys.begin(), keys.end(), [&entry](const auto& known) {
    return known.hash == entry.hash && known.bytes == entry.bytes;
  });
  if (same == keys.end()) return keys.push_back(std::move(entry));
  same->units_milli += entry.units_milli;
  same->error_milli += entry.error_milli;
}

ThroughputReport::Bucket told_of(const TokenBucket& bucket, Timestamp now) {
  return {bucket.balance_micro(now), bucket.size_micro()};
}

std::uint64_t taken(const std::atomic<std::uint64_t>& count, std::uint64_t& told) {
  const std::uint64_t known = count.load(std::memory_order_relaxed);
  return known - std::exchange(told, known);
}

// The heaviest of the keys with places in the partition; empty: none has.
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
    if (heaviest == nullptr || key.untold_milli > heaviest->untold_milli) heaviest = &key;
  }
  return heaviest == nullptr ? std::string() : heaviest->bytes;
}

}  // namespace

void ThroughputState::configure(const CapacitySettings& settings, Timestamp at, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Timer::What::Configure);
  // A change that is on its way is counted already.
  const bool is_switch = settings.mode != (next_settings_ ? *next_settings_ : settings_).mode;
  next_settings_.reset();
  // One that the cloud would have refused does not count.
  if (is_switch && settings.mode == BillingMode::PayPerRequest &&
      next_on_demand_switch(on_demand_switches_, now) <= now) {
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

// What was asked for since the last window ended.
std::int64_t ThroughputState::open_window_milli(Dimension dimension) const {
  const Side& whole = side(dimension);
  std::int64_t asked_milli =
      whole.carried_milli + whole.refused_milli.load() - whole.refused_before_milli;
  for (const Partition* partition : partitions_.all())
    asked_milli += partition->side(dimension).window_milli.load();
  return asked_milli;
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
    told.own = told_of(whole.own, now);
    if (is_on_demand()) told.account = told_of(account_->sides[i], now);
    told.consumed_milli = whole.consumed_milli;
    told.refused_milli = whole.refused_milli;
    told.minute_milli = whole.minute_milli;
    std::copy(whole.refused.begin(), whole.refused.end(), told.refused.begin());
    const std::int64_t busiest_milli =
        std::max(whole.demand_peak_milli, open_window_milli(static_cast<Dimension>(i)));
    told.sufficient_units = (busiest_milli + window_milli - 1) / window_milli;
  }
  for (const Partition* partition : partitions_.all()) {
    ThroughputReport::Part part{partition->begin, partition->known_bytes(), {}};
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Partition::Side& from = partition->sides[i];
      part.sides[i] = {told_of(from.limit, now), from.minute_milli, from.refused};
    }
    report.partitions.push_back(std::move(part));
  }
  for (const Timer& timer : timers_) {
    if (timer.what == Timer::What::Warm) report.warming = Warming{timer.at, timer.warm_to};
    if (timer.what == Timer::What::Grow) report.growths_due.push_back({timer.at, timer.warm_to});
    if (timer.what == Timer::What::HeatSplit)
      report.splits_due.push_back({timer.at, timer.boundary, SplitCause::Heat});
  }
  const auto heaviest = [](const std::atomic<SharedKeySketch*>& sketch) {
    const SharedKeySketch* keys = sketch.load(std::memory_order_acquire);
    return keys != nullptr ? keys->heaviest() : std::vector<KeySketch::Entry>();
  };
  report.accessed_keys = heaviest(accessed_);
  report.throttled_keys = heaviest(throttled_[0]);
  for (KeySketch::Entry& entry : heaviest(throttled_[1]))
    add_key(std::move(entry), report.throttled_keys);
  std::stable_sort(
      report.throttled_keys.begin(), report.throttled_keys.end(),
      [](const auto& left, const auto& right) { return left.units_milli > right.units_milli; });
  return report;
}

ThrottleTally& ThroughputState::begin_tally(TallyOf of) {
  auto made = std::make_unique<ThrottleTally>(std::move(of));
  ThrottleTally* known = nullptr;
  if (tally_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

UntoldRefusals ThroughputState::take_untold(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  UntoldRefusals untold;
  const std::vector<Partition*> partitions = partitions_.all();
  untold.partitions = partitions.size();
  for (std::size_t i = 0; i < kDimensions; ++i) {
    UntoldRefusals::Side& side = untold.sides[i];
    for (std::size_t limit = 0; limit < kLimits; ++limit)
      side.refused[limit] = taken(sides_[i].refused[limit], sides_[i].refused_told[limit]);
    std::uint64_t most = 0;
    for (std::size_t at = 0; at < partitions.size(); ++at) {
      Partition::Side& part = partitions[at]->sides[i];
      const std::uint64_t refused = taken(part.refused, part.refused_told);
      if (refused <= most) continue;
      most = refused;
      side.hottest_partition = at;
    }
    SharedKeySketch* keys = throttled_[i].load(std::memory_order_acquire);
    if (keys == nullptr || !side.hottest_partition) continue;
    side.hottest_key = hottest_in(partitions, *side.hottest_partition, keys->take_untold());
  }
  return untold;
}

}  // namespace stator::capacity
