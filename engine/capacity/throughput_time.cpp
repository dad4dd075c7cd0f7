// What time brings to a table's throughput: ends of windows, splits, growth, new settings.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/capacity/throughput_state.h"
#include "engine/schema/capacity.h"
#include "engine/schema/stream.h"

namespace stator::capacity {
namespace {

// Buckets stand more than a day apart from overflow.
constexpr std::chrono::microseconds kRefreshAfter = std::chrono::hours(6);
// Each may be a boundary between shards of the table's stream.
constexpr std::size_t kSplitsKept = kOpenShardsMax - 1;
// Growths that are due at a time; of a new peak beyond, the last one is put off.
constexpr std::ptrdiff_t kGrowthsMax = 64;

std::int64_t& units_of(Throughput& throughput, Dimension dimension) {
  return dimension == Dimension::Read ? throughput.read_units : throughput.write_units;
}

constexpr std::array kBoth = {Dimension::Read, Dimension::Write};

}  // namespace

void ThroughputState::set_due() {
  const Timestamp timer = timers_.empty() ? Timestamp::max() : timers_.front().at;
  // With a watcher that does not come, the next charge calls it.
  const bool is_awaited = watcher_ == nullptr || !watcher_->keeps() ||
                          (is_awaited_ && balances_due_ < Timestamp::max());
  due_us_.store(is_awaited ? std::min(window_end_, timer).unix_us : 0, std::memory_order_release);
}

void ThroughputState::schedule(Timer timer) {
  const auto behind =
      std::upper_bound(timers_.begin(), timers_.end(), timer,
                       [](const Timer& left, const Timer& right) { return left.at < right.at; });
  set_changed();
  timers_.insert(behind, std::move(timer));
  set_due();
}

// Where nothing is kept, splits are still for the table's stream: the one it has or is about to
// have.
bool ThroughputState::is_watched() const {
  if (watcher_ == nullptr) return false;
  const bool has_stream =
      settings_.has_stream || (next_settings_.has_value() && next_settings_->has_stream);
  return watcher_->keeps() || (of_ == Of::Table && has_stream);
}

// What is kept; at once.
void ThroughputState::set_changed() {
  ++version_;
  if (is_watched()) watcher_->look_at(weak_from_this(), Timestamp::min());
}

// When time brings something next, as far as anybody would notice.
void ThroughputState::ask_for_look() {
  set_due();
  if (!is_watched()) return;
  const Timestamp timer = timers_.empty() ? Timestamp::max() : timers_.front().at;
  const Timestamp window = is_awaited_ ? window_end_ : Timestamp::max();
  const Timestamp next = std::min({window, timer, balances_due_});
  if (next < Timestamp::max()) watcher_->look_at(weak_from_this(), next);
}

void ThroughputState::cancel(Timer::What what) {
  std::erase_if(timers_, [what](const Timer& timer) { return timer.what == what; });
  set_due();
}

// In the order of time; of one moment the end of the window comes first. Behind a window in which
// nothing was asked for all further ones are alike until a timer.
void ThroughputState::settle_locked(Timestamp now) {
  const std::int64_t window_us = parameters_->window_s * kMicroPerUnit;
  for (;;) {
    const Timestamp timer = timers_.empty() ? Timestamp::max() : timers_.front().at;
    if (std::min(window_end_, timer) > now) break;
    if (timer < window_end_) {
      refresh_buckets(timer);
      const Timer next = std::move(timers_.front());
      timers_.erase(timers_.begin());
      run(next);
      continue;
    }
    refresh_buckets(window_end_);
    was_quiet_ = end_window(window_end_);
    const std::int64_t behind_us =
        was_quiet_ ? std::max(window_end_, std::min(now, timer)).unix_us : window_end_.unix_us;
    window_end_ = {(behind_us / window_us + 1) * window_us};
  }
  refresh_buckets(now);
  set_due();
}

void ThroughputState::run(const Timer& timer) {
  switch (timer.what) {
    case Timer::What::Configure:
      apply(*next_settings_, timer.at);
      next_settings_.reset();
      return;
    case Timer::What::Warm:
      was_warmed_ = true;
      return warm_up(timer.warm_to, timer.at);
    case Timer::What::Grow:
      return warm_up(timer.warm_to, timer.at);
    case Timer::What::HeatSplit: {
      const Place place{.hash = timer.boundary.hash, .sort = timer.boundary.sort};
      partitions_.at(place).is_splitting = false;
      split(timer.boundary, SplitCause::Heat, timer.at);
      return;
    }
    case Timer::What::Boost:
      return boost(timer.boundary, timer.dimension, timer.at);
  }
}

void ThroughputState::refresh_buckets(Timestamp now) {
  if (now <= refreshed_.plus(kRefreshAfter)) return;
  for (const Dimension dimension : kBoth) {
    side(dimension).own.refresh(refreshed_, now);
    account(dimension).refresh(refreshed_, now);
  }
  for (Partition* partition : partitions_.all()) {
    for (Partition::Side& part : partition->sides) {
      part.limit.refresh(refreshed_, now);
      part.share.refresh(refreshed_, now);
    }
  }
  refreshed_ = now;
}

bool ThroughputState::end_window(Timestamp at) {
  bool was_quiet = true;
  const std::vector<Partition*> partitions = partitions_.all();
  for (const Dimension dimension : kBoth) {
    Side& whole = side(dimension);
    std::int64_t consumed_milli = std::exchange(whole.carried_milli, 0);
    for (Partition* partition : partitions) {
      end_window_of(*partition, dimension, at);
      consumed_milli += partition->side(dimension).minute_milli.load(std::memory_order_relaxed);
    }
    const std::int64_t all_refused_milli = whole.refused_milli.load(std::memory_order_relaxed);
    const std::int64_t refused_milli =
        all_refused_milli - std::exchange(whole.refused_before_milli, all_refused_milli);
    whole.minute_milli = consumed_milli;
    whole.demand_peak_milli = std::max(whole.demand_peak_milli, consumed_milli + refused_milli);
    was_quiet = was_quiet && consumed_milli == 0 && refused_milli == 0;
    if (is_on_demand() && consumed_milli > whole.peak_milli) {
      whole.peak_milli = consumed_milli;
      set_changed();
      grow_later(dimension, at);
    }
  }
  for (const auto* sketch : {&accessed_, &throttled_.front(), &throttled_.back()}) {
    SharedKeySketch* keys = sketch->load(std::memory_order_acquire);
    if (keys != nullptr) keys->halve();
  }
  return was_quiet;
}

void ThroughputState::end_window_of(Partition& partition, Dimension dimension, Timestamp at) {
  Partition::Side& part = partition.side(dimension);
  const std::int64_t consumed_milli = part.window_milli.exchange(0, std::memory_order_relaxed);
  part.minute_milli.store(consumed_milli, std::memory_order_relaxed);
  const bool was_hot = consumed_milli >= hot_milli(dimension);
  part.hot_windows = was_hot ? part.hot_windows + 1 : 0;
  HeatWatch* watch = part.watch.load(std::memory_order_acquire);
  if (watch == nullptr) return;
  watch->end_window(was_hot);
  if (part.hot_windows < parameters_->heat_windows || partition.is_splitting) return;
  if (!is_on_demand() && settings_.has_stream && !parameters_->heat_split_with_streams) return;
  const std::optional<Position> boundary = watch->split_point();
  if (!boundary) return;
  partition.is_splitting = true;
  schedule({.at = at.plus(std::chrono::seconds(parameters_->split_duration_s)),
            .what = Timer::What::HeatSplit,
            .boundary = *boundary});
}

// Twice the new peak, when it has lasted.
void ThroughputState::grow_later(Dimension dimension, Timestamp at) {
  Throughput to;
  units_of(to, dimension) =
      2 * side(dimension).peak_milli / (kMilliPerUnit * parameters_->window_s);
  if (highest(warm_, to) == warm_) return;
  const auto is_growth = [](const Timer& timer) { return timer.what == Timer::What::Grow; };
  if (std::count_if(timers_.begin(), timers_.end(), is_growth) >= kGrowthsMax) {
    const auto last = std::find_if(timers_.rbegin(), timers_.rend(), is_growth);
    to = highest(to, last->warm_to);
    timers_.erase(std::next(last).base());
  }
  schedule({.at = at.plus(std::chrono::seconds(parameters_->growth_delay_s)),
            .what = Timer::What::Grow,
            .warm_to = to});
}

Rate ThroughputState::own_rate(Dimension dimension) const {
  const bool is_read = dimension == Dimension::Read;
  const Throughput& provisioned = settings_.provisioned;
  const OnDemandThroughput& maximum = settings_.maximum;
  if (is_on_demand()) {
    return {.units = (is_read ? maximum.max_read_units : maximum.max_write_units).value_or(0),
            .burst_s = static_cast<std::int32_t>(parameters_->on_demand_max_burst_s)};
  }
  if (has_shares()) return {};
  return {.units = is_read ? provisioned.read_units : provisioned.write_units,
          .burst_s = static_cast<std::int32_t>(parameters_->burst_s)};
}

void ThroughputState::begin_buckets(Timestamp now, std::int64_t filled_s) {
  const Throughput& quota = parameters_->account_table;
  for (const Dimension dimension : kBoth) {
    side(dimension).own.begin(own_rate(dimension), filled_s, now);
    // A quota that is shared with the table is as it is.
    if (!is_on_demand() || (shares_account() && account(dimension).is_limit())) continue;
    const bool is_read = dimension == Dimension::Read;
    account(dimension).begin({.units = is_read ? quota.read_units : quota.write_units,
                              .burst_s = static_cast<std::int32_t>(parameters_->account_burst_s)},
                             parameters_->account_burst_s, now);
  }
  share_out(now);
}

bool ThroughputState::shares_account() const {
  return is_index() && parameters_->account_scope == AccountScope::TableWithIndexes;
}

void ThroughputState::begin_peaks() {
  for (const Dimension dimension : kBoth) {
    side(dimension).peak_milli =
        units_of(warm_, dimension) * kMilliPerUnit * parameters_->window_s / 2;
  }
}

void ThroughputState::apply(const CapacitySettings& settings, Timestamp at) {
  const bool changes_mode = settings.mode != settings_.mode;
  settings_ = settings;
  set_changed();
  is_on_demand_.store(settings.mode == BillingMode::PayPerRequest, std::memory_order_relaxed);
  divides_collections_.store(!settings.has_local_index, std::memory_order_relaxed);
  for (const Dimension dimension : kBoth) {
    if (changes_mode) break;
    TokenBucket& own = side(dimension).own;
    if (own.is_limit()) {
      own.set_rate(own_rate(dimension), at);
    } else {
      own.begin(own_rate(dimension), parameters_->initial_burst_s, at);
    }
  }
  if (changes_mode) begin_buckets(at, parameters_->initial_burst_s);
  if (is_on_demand()) {
    if (!changes_mode) return;
    warm_up(parameters_->on_demand_initial, at);
    return begin_peaks();
  }
  warm_up_to_provisioned(at);
  share_out(at);
}

void ThroughputState::warm_up_to_provisioned(Timestamp at) {
  warm_ = highest(warm_, settings_.provisioned);
  double_partitions(provisioned_partitions(settings_.provisioned, parameters_->partition_limits,
                                           parameters_->partition_formula),
                    at);
}

void ThroughputState::warm_up(const Throughput& to, Timestamp at) {
  warm_ = highest(warm_, to);
  const std::int64_t partitions_min = is_on_demand() ? parameters_->on_demand_partitions_min : 1;
  double_partitions(on_demand_partitions(warm_, parameters_->partition_limits, partitions_min), at);
}

// Every partition is split in the middle of its hashes, until there are enough.
void ThroughputState::double_partitions(std::uint32_t wanted, Timestamp at) {
  while (partition_count() < wanted) {
    const std::uint32_t before = partition_count();
    const std::vector<Partition*> partitions = partitions_.all();
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const std::uint32_t begin = partitions[i]->begin.hash;
      const std::uint32_t end =
          i + 1 < partitions.size() ? partitions[i + 1]->begin.hash : kHashesEnd;
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (middle > begin) split({middle, {}}, SplitCause::Throughput, at);
    }
    if (partition_count() == before) return;  // as many as there may be
  }
}

bool ThroughputState::split(const Position& boundary, SplitCause cause, Timestamp at) {
  Partition& whole = partitions_.at({.hash = boundary.hash, .sort = boundary.sort});
  if (partitions_.split(boundary, *parameters_, at) == nullptr) return false;
  if (!boundary.sort.empty()) has_divided_.store(true, std::memory_order_relaxed);
  for (const Dimension dimension : kBoth) {
    side(dimension).carried_milli +=
        whole.side(dimension).window_milli.exchange(0, std::memory_order_relaxed);
  }
  if (splits_.size() >= kSplitsKept) splits_.erase(splits_.begin());
  splits_.push_back({at, boundary, cause});
  set_changed();
  share_out(at);
  return true;
}

// Each partition's part of what is provisioned, where throughput does not reach all of them.
void ThroughputState::share_out(Timestamp now) {
  if (parameters_->adaptive_mode == AdaptiveMode::Instant) return;
  const auto count = static_cast<std::int32_t>(partition_count());
  const auto is_boost_due = [this](const Partition& partition, Dimension dimension) {
    return std::any_of(timers_.begin(), timers_.end(), [&](const Timer& timer) {
      return timer.what == Timer::What::Boost && timer.dimension == dimension &&
             timer.boundary == partition.begin;
    });
  };
  for (Partition* partition : partitions_.all()) {
    for (const Dimension dimension : kBoth) {
      Partition::Side& part = partition->side(dimension);
      const Rate rate{.units = has_shares() ? units_of(settings_.provisioned, dimension) : 0,
                      .per = count,
                      .burst_s = static_cast<std::int32_t>(parameters_->burst_s)};
      part.is_boosted = is_boost_due(*partition, dimension);
      if (part.share.is_limit()) {
        part.share.set_rate(rate, now);
      } else {
        part.share.begin(rate, parameters_->initial_burst_s, now);
      }
    }
  }
}

// What the other partitions have left over in the open window (or the last one, where it has just
// begun) is added to this one's share, up to what a partition serves.
void ThroughputState::boost(const Position& begin, Dimension dimension, Timestamp at) {
  Partition& boosted = partitions_.at({.hash = begin.hash, .sort = begin.sort});
  Rate rate = boosted.side(dimension).share.rate();
  if (!has_shares() || rate.units == 0) return;
  const std::int64_t window_us = parameters_->window_s * kMicroPerUnit;
  const std::int64_t passed_us = at.unix_us - (window_end_.unix_us - window_us);
  for (Partition* other : partitions_.all()) {
    if (other == &boosted) continue;
    const Partition::Side& part = other->side(dimension);
    const std::int64_t consumed_milli = passed_us > 0 ? part.window_milli : part.minute_milli;
    const std::int64_t elapsed_us = passed_us > 0 ? passed_us : window_us;
    const std::int64_t consumed_units =
        consumed_milli * (kMicroPerUnit / kMilliPerUnit) * rate.per / elapsed_us;
    rate.units += std::max<std::int64_t>(0, part.share.rate().units - consumed_units);
  }
  rate.units = std::min(rate.units, limit_units(dimension) * rate.per);
  boosted.side(dimension).share.set_rate(rate, at);
}

}  // namespace stator::capacity
