#include "engine/throughput/throughput_state.h"

#include <algorithm>
#include <chrono>

#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

// Overflow of a bucket takes more than a day.
constexpr std::chrono::microseconds kRefreshAfter = std::chrono::hours(6);

}  // namespace

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const std::vector<Position>& begins, const ThroughputState* table)
    : of_(of),
      parameters_(parameters),
      is_on_demand_(settings.mode == BillingMode::PayPerRequest),
      divides_collections_(!settings.has_local_index),
      own_(*parameters_, of == Of::Index, table == nullptr ? nullptr : &table->own_),
      partitions_(begins, *parameters_, now),
      heat_(*parameters_),
      timeline_(parameters_->window_s, now),
      shares_(*parameters_, partitions_, timeline_),
      settings_(settings),
      refreshed_(now) {
  set_due();
}

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const Throughput& warm, const ThroughputState* table)
    : ThroughputState(of, settings, parameters, now,
                      TablePartitions::first_begins(settings, *parameters, warm), table) {
  warm_ = highest(warm, is_on_demand() ? parameters_->on_demand_initial : settings.provisioned);
  begin_peaks();
  begin_buckets(now, parameters_->initial_burst_s);
}

ThroughputState::ThroughputState(Of of, const CapacitySettings& settings,
                                 const Parameters& parameters, Timestamp now,
                                 const PersistedThroughput& persisted, const ThroughputState* table)
    : ThroughputState(of, settings, parameters, now, TablePartitions::persisted_begins(persisted),
                      table) {
  partitions_.restore(persisted);
  warm_ = persisted.warm;
  was_warmed_ = persisted.was_warmed;
  settings_.restore_switches(persisted.on_demand_switches);
  demand_.restore_peaks(persisted.peaks_milli);
  if (timeline_.restore(persisted)) set_changed();
  set_due();
  if (persisted.balances && persisted.mode == settings.mode) {
    resume(*persisted.balances, now);
  } else {
    begin_after_pause(persisted.as_of, now);
  }
}

// ---- Charges

void ThroughputState::settle(Timestamp now) {
  if (now.unix_us < due_us_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  settle_locked(now);
  persistence_.begin_awaiting(now);
  ask_for_look();
}

bool ThroughputState::may_refuse(Dimension dimension, Timestamp now) {
  settle(now);
  return exhausted(dimension, now) || partitions_.may_refuse(dimension, now);
}

void ThroughputState::count_consumed(Dimension dimension, const Place& place,
                                     std::int64_t units_milli) {
  demand_.count_consumed(dimension, place, units_milli);
  Partition& partition = partitions_.at(place);
  partition.side(dimension).window_milli.fetch_add(units_milli, std::memory_order_relaxed);
  heat_.feel(partition, dimension, place, units_milli, /*was_refused=*/false,
             divides_collections());
}

void ThroughputState::count_refused(Dimension dimension, const Place& place,
                                    std::int64_t units_milli, std::optional<Limit> by,
                                    Timestamp now) {
  demand_.count_refused(dimension, place, units_milli, by);
  Partition& partition = partitions_.at(place);
  const bool by_partition = by == Limit::KeyRangeThroughput;
  heat_.feel(partition, dimension, place, units_milli, by_partition, divides_collections());
  if (!by) return;
  Partition::Side& side = partition.side(dimension);
  side.refused.fetch_add(1, std::memory_order_relaxed);
  if (!by_partition || is_on_demand() || parameters_->adaptive_mode != AdaptiveMode::Delayed)
    return;
  const std::lock_guard lock(mutex_);
  if (std::exchange(side.is_boosted, true)) return;
  schedule({.at = now.plus(std::chrono::seconds(parameters_->adaptive_delay_s)),
            .what = Change::What::Boost,
            .boundary = partition.begin,
            .dimension = dimension});
}

// ---- Changes over time

void ThroughputState::set_due() {
  const Timestamp next = std::min(timeline_.window_end(), timeline_.next_change());
  due_us_.store(persistence_.is_awaited() ? next.unix_us : 0, std::memory_order_release);
}

void ThroughputState::schedule(Change change) {
  set_changed();
  timeline_.schedule(std::move(change));
  set_due();
}

void ThroughputState::cancel(Change::What what) {
  timeline_.cancel(what);
  set_due();
}

// Without persistence, splits still matter for the table's stream, current or scheduled.
bool ThroughputState::affects_stream() const { return of_ == Of::Table && settings_.has_stream(); }

void ThroughputState::ask_for_look() {
  set_due();
  persistence_.ask_for_look(timeline_, affects_stream());
}

// Applies changes in the order of time; at the same moment the end of a window comes first. After a
// window without demand, all windows until the next change are alike and skipped.
void ThroughputState::settle_locked(Timestamp now) {
  for (;;) {
    const Timestamp change = timeline_.next_change();
    const Timestamp window_end = timeline_.window_end();
    if (std::min(window_end, change) > now) break;
    if (change < window_end) {
      refresh_buckets(change);
      run(timeline_.take_next());
      continue;
    }
    refresh_buckets(window_end);
    was_quiet_ = end_window(window_end);
    timeline_.open_window(was_quiet_ ? std::max(window_end, std::min(now, change)) : window_end);
  }
  refresh_buckets(now);
  set_due();
}

void ThroughputState::run(const Change& change) {
  switch (change.what) {
    case Change::What::Configure:
      return apply_settings(change.at);
    case Change::What::Warm:
      was_warmed_ = true;
      return warm_up(change.warm_to, change.at);
    case Change::What::Grow:
      return warm_up(change.warm_to, change.at);
    case Change::What::HeatSplit:
      partitions_.at(change.boundary).is_splitting = false;
      split(change.boundary, SplitCause::Heat, change.at);
      return;
    case Change::What::Boost:
      if (has_shares(settings_.current().mode, *parameters_))
        shares_.boost(change.boundary, change.dimension, change.at);
      return;
  }
}

bool ThroughputState::end_window(Timestamp at) {
  bool was_quiet = true;
  const std::vector<Partition*> partitions = partitions_.all();
  for (const Dimension dimension : kBothDimensions) {
    std::int64_t partitions_milli = 0;
    for (Partition* partition : partitions)
      partitions_milli += end_window_of(*partition, dimension, at);
    const Demand::Window ended = demand_.end_window(dimension, partitions_milli);
    was_quiet = was_quiet && ended.is_quiet();
    if (is_on_demand() && ended.consumed_milli > demand_.peak_milli(dimension)) {
      demand_.set_peak(dimension, ended.consumed_milli);
      set_changed();
      grow_later(dimension, at);
    }
  }
  demand_.halve_keys();
  return was_quiet;
}

// Returns what the partition consumed in the window.
std::int64_t ThroughputState::end_window_of(Partition& partition, Dimension dimension,
                                            Timestamp at) {
  const bool may_split =
      is_on_demand() || !settings_.current().has_stream || parameters_->heat_split_with_streams;
  if (const auto boundary = heat_.end_window(partition, dimension, may_split)) {
    schedule({.at = at.plus(std::chrono::seconds(parameters_->split_duration_s)),
              .what = Change::What::HeatSplit,
              .boundary = *boundary});
  }
  return partition.side(dimension).minute_milli.load(std::memory_order_relaxed);
}

// Schedules growth to twice the new peak, in case it lasts.
void ThroughputState::grow_later(Dimension dimension, Timestamp at) {
  Throughput to;
  units_of(to, dimension) =
      2 * demand_.peak_milli(dimension) / (kMilliPerUnit * parameters_->window_s);
  if (highest(warm_, to) == warm_) return;
  schedule({.at = at.plus(std::chrono::seconds(parameters_->growth_delay_s)),
            .what = Change::What::Grow,
            .warm_to = to});
}

void ThroughputState::refresh_buckets(Timestamp now) {
  if (now <= refreshed_.plus(kRefreshAfter)) return;
  own_.refresh(refreshed_, now);
  partitions_.refresh(refreshed_, now);
  refreshed_ = now;
}

void ThroughputState::begin_buckets(Timestamp now, std::int64_t filled_s) {
  own_.begin(settings_.current(), filled_s, now);
  shares_.share_out(settings_.current(), now);
}

void ThroughputState::begin_peaks() {
  for (const Dimension dimension : kBothDimensions) {
    demand_.set_peak(dimension,
                     units_of(warm_, dimension) * kMilliPerUnit * parameters_->window_s / 2);
  }
}

// ---- Changes of settings

void ThroughputState::configure(const CapacitySettings& settings, Timestamp at, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Change::What::Configure);
  settings_.request(settings, now);
  if (at <= now) return apply_settings(now);
  schedule({.at = at, .what = Change::What::Configure});
}

// Puts the requested settings in force.
void ThroughputState::apply_settings(Timestamp at) {
  const bool changes_mode = settings_.apply_requested();
  const CapacitySettings& settings = settings_.current();
  set_changed();
  is_on_demand_.store(settings.mode == BillingMode::PayPerRequest, std::memory_order_relaxed);
  divides_collections_.store(!settings.has_local_index, std::memory_order_relaxed);
  if (changes_mode) {
    begin_buckets(at, parameters_->initial_burst_s);
  } else {
    own_.set_rates(settings, at);
  }
  if (is_on_demand()) {
    if (!changes_mode) return;
    warm_up(parameters_->on_demand_initial, at);
    return begin_peaks();
  }
  warm_up_to_provisioned(at);
  shares_.share_out(settings, at);
}

Timestamp ThroughputState::schedule_warm_throughput(const Throughput& to, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  cancel(Change::What::Warm);
  const std::chrono::seconds duration(was_warmed_ ? parameters_->further_warming_s
                                                  : parameters_->first_warming_s);
  set_changed();
  if (highest(warm_, to) == warm_) return now;
  const Timestamp done = now.plus(duration);
  schedule({.at = done, .what = Change::What::Warm, .warm_to = to});
  settle_locked(now);
  return done;
}

void ThroughputState::warm_up_to_provisioned(Timestamp at) {
  const Throughput& provisioned = settings_.current().provisioned;
  warm_ = highest(warm_, provisioned);
  double_partitions(provisioned_partitions(provisioned, parameters_->partition_limits,
                                           parameters_->partition_formula),
                    at);
}

void ThroughputState::warm_up(const Throughput& to, Timestamp at) {
  warm_ = highest(warm_, to);
  const std::int64_t partitions_min = is_on_demand() ? parameters_->on_demand_partitions_min : 1;
  double_partitions(on_demand_partitions(warm_, parameters_->partition_limits, partitions_min), at);
}

CurrentThroughput ThroughputState::served_at_once(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  return {warm_, timeline_.has(Change::What::Warm)};
}

// ---- Partitions

bool ThroughputState::split(const Position& boundary, SplitCause cause, Timestamp at) {
  const auto consumed = partitions_.split(boundary, cause, at);
  if (!consumed) return false;
  for (const Dimension dimension : kBothDimensions)
    demand_.carry(dimension, (*consumed)[static_cast<std::size_t>(dimension)]);
  set_changed();
  shares_.share_out(settings_.current(), at);
  return true;
}

// Splits every partition in the middle of its hashes until there are enough.
void ThroughputState::double_partitions(std::uint32_t wanted, Timestamp at) {
  while (partitions_.count() < wanted) {
    const std::uint32_t before = partitions_.count();
    for (const Position& middle : partitions_.middles()) split(middle, SplitCause::Throughput, at);
    if (partitions_.count() == before) return;  // the limit is reached
  }
}

void ThroughputState::divide(std::uint32_t partitions, Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  for (std::uint32_t i = 1; i < partitions; ++i)
    split({partition_begin(i, partitions), {}}, SplitCause::Throughput, now);
}

bool ThroughputState::split_for_size(const Position& boundary, std::int64_t low_bytes,
                                     Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  const Partition& whole = partitions_.at(boundary);
  const std::int64_t total_bytes = whole.size_bytes.load(std::memory_order_relaxed);
  if (!split(boundary, SplitCause::Size, now)) return false;
  TablePartitions::set_halves(whole, low_bytes, total_bytes);
  return true;
}

bool ThroughputState::divides_stream() const {
  const std::lock_guard lock(mutex_);
  return of_ == Of::Table && settings_.current().has_stream && !partitions_.split_hashes().empty();
}

// ---- Persistence

// New buckets that are full need no persisting; others would start with more after each restart.
void ThroughputState::watch(ThroughputWatcher& watcher, std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  persistence_.watch(watcher, id, weak_from_this());
  if (!persistence_.drawn_milli() && has_new_debits_locked(refreshed_))
    persistence_.await_balances(refreshed_);
  ask_for_look();
}

// Persisted balances refill like the buckets, so once these are full both are equal.
bool ThroughputState::has_new_debits_locked(Timestamp now) {
  const std::int64_t drawn_milli = demand_.drawn_milli();
  if (persistence_.drawn_milli() == drawn_milli) return false;
  if (!AllBuckets(own_, partitions_).balances(now).lacking.empty()) return true;
  persistence_.set_drawn(drawn_milli);
  return false;
}

bool ThroughputState::look(Timestamp now) {
  const std::lock_guard lock(mutex_);
  const Timestamp window_end = timeline_.window_end();
  settle_locked(now);
  const bool has_ended = timeline_.window_end() != window_end;
  if (has_ended && was_quiet_) persistence_.end_awaiting();
  const bool is_due = persistence_.take_balances_due(now);
  if ((is_due || has_ended) && !persistence_.wants_balances() && has_new_debits_locked(now))
    persistence_.want_balances();
  ask_for_look();
  return persistence_.has_changes();
}

PersistedThroughput ThroughputState::persistent_form(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  PersistedThroughput form;
  form.mode = settings_.current().mode;
  form.splits = partitions_.splits();
  form.on_demand_switches = settings_.on_demand_switches();
  form.partitions = partitions_.persistent_form();
  form.splits_due = timeline_.heat_splits();
  form.growths_due = timeline_.growths();
  form.warming = timeline_.warming();
  form.was_warmed = was_warmed_;
  form.warm = warm_;
  form.peaks_milli = demand_.peaks_milli();
  form.as_of = now;
  form.version = persistence_.version();
  form.drawn_milli = demand_.drawn_milli();
  form.balances = AllBuckets(own_, partitions_).balances(now);
  return form;
}

void ThroughputState::was_persisted(const PersistedThroughput& persisted) {
  const std::lock_guard lock(mutex_);
  persistence_.was_persisted(persisted);
  partitions_.was_persisted(persisted);
}

void ThroughputState::catch_up(BillingMode persisted_mode, Timestamp now) {
  const std::lock_guard lock(mutex_);
  if (!is_on_demand()) return warm_up_to_provisioned(now);
  warm_up(parameters_->on_demand_initial, now);
  if (persisted_mode != settings_.current().mode) begin_peaks();
}

void ThroughputState::begin_after_pause(Timestamp since, Timestamp now) {
  const std::int64_t paused_s = (now.unix_us - since.unix_us) / kMicroPerUnit;
  begin_buckets(now, parameters_->initial_burst_s + std::max<std::int64_t>(paused_s, 0));
}

void ThroughputState::resume(const PersistedBalances& balances, Timestamp now) {
  begin_buckets(now, parameters_->initial_burst_s);
  AllBuckets(own_, partitions_).resume(balances, now);
  persistence_.set_drawn(demand_.drawn_milli());
}

// ---- Reports

ThroughputReport ThroughputState::report(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  ThroughputReport report;
  report.settings = settings_.current();
  report.warm = warm_;
  report.warming = timeline_.warming();
  report.growths_due = timeline_.growths();
  report.splits_due = timeline_.heat_splits();
  own_.report(is_on_demand(), now, report);
  partitions_.report(now, report);
  demand_.report(partitions_.all(), parameters_->window_s, report);
  return report;
}

UnreportedThrottles ThroughputState::take_unreported(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  return demand_.take_unreported(partitions_.all());
}

}  // namespace stator::capacity
