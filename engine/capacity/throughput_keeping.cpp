// What is kept of a table's throughput over a restart, and when somebody should look at it.
#include <algorithm>
#include <limits>

#include "engine/capacity/throughput_state.h"

namespace stator::capacity {

// Their numbers are stored. What an index shares with its table is the table's to keep.
template <class Visit>
void ThroughputState::for_each_bucket(Visit visit) {
  std::uint32_t number = 0;
  for (Side& one : sides_) visit(number++, one.own);
  for (TokenBucket& quota : account_->sides) {
    if (!shares_account()) visit(number, quota);
    ++number;
  }
  for (Partition* partition : partitions_.all()) {
    for (Partition::Side& part : partition->sides) {
      visit(number++, part.limit);
      visit(number++, part.share);
    }
  }
}

KeptBalances ThroughputState::balances(Timestamp now) {
  KeptBalances found{now, {}};
  for_each_bucket([&](std::uint32_t number, const TokenBucket& bucket) {
    const std::int64_t balance_micro = bucket.balance_micro(now);
    if (balance_micro < bucket.size_micro()) found.lacking.push_back({number, balance_micro});
  });
  return found;
}

std::int64_t ThroughputState::drawn_milli() const {
  std::int64_t drawn_milli = 0;
  for (const Side& one : sides_) drawn_milli += one.consumed_milli.load(std::memory_order_relaxed);
  return drawn_milli;
}

// New buckets that are full need not be kept; others begin with more after each restart.
void ThroughputState::watch(ThroughputWatcher& watcher, std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  id_ = id;
  watcher_ = &watcher;
  if (!kept_drawn_milli_ && has_new_debits_locked(refreshed_)) {
    balances_due_ = refreshed_.plus(kBalancesKeptAfter);
  }
  ask_for_look();
}

bool ThroughputState::has_new_debits(Timestamp now) {
  const std::lock_guard lock(mutex_);
  return has_new_debits_locked(now);
}

// What was kept grows as the buckets do, so when these are full it comes to the same.
bool ThroughputState::has_new_debits_locked(Timestamp now) {
  const std::int64_t drawn = drawn_milli();
  if (kept_drawn_milli_ == drawn) return false;
  if (!balances(now).lacking.empty()) return true;
  kept_drawn_milli_ = drawn;
  return false;
}

bool ThroughputState::look(Timestamp now) {
  const std::lock_guard lock(mutex_);
  const Timestamp window_end = window_end_;
  settle_locked(now);
  // Behind a window in which nothing was asked for nobody needs to come again.
  const bool has_ended = window_end_ != window_end;
  if (has_ended && was_quiet_) is_awaited_ = false;
  const bool is_due = now >= balances_due_;
  if (is_due) balances_due_ = Timestamp::max();
  if (is_due || has_ended) wants_balances_ = wants_balances_ || has_new_debits_locked(now);
  ask_for_look();
  return wants_balances_ || version_ != kept_version_;
}

KeptThroughput ThroughputState::kept(Timestamp now) {
  const std::lock_guard lock(mutex_);
  settle_locked(now);
  KeptThroughput kept;
  kept.mode = settings_.mode;
  kept.splits = splits_;
  kept.on_demand_switches = on_demand_switches_;
  for (const Partition* partition : partitions_.all()) {
    kept.partitions.push_back({partition->begin, partition->known_bytes()});
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
  kept.version = version_;
  kept.drawn_milli = drawn_milli();
  kept.balances = balances(now);
  return kept;
}

void ThroughputState::was_kept(const KeptThroughput& kept) {
  const std::lock_guard lock(mutex_);
  kept_version_ = kept.version;
  kept_drawn_milli_ = kept.drawn_milli;
  wants_balances_ = false;
  // Bytes that come meanwhile are seen here, or set it again behind this.
  has_new_bytes_.exchange(false, std::memory_order_acq_rel);
  const std::vector<Partition*> partitions = partitions_.all();
  const bool is_same = std::equal(
      partitions.begin(), partitions.end(), kept.partitions.begin(), kept.partitions.end(),
      [](const Partition* now, const auto& then) { return now->known_bytes() == then.size_bytes; });
  if (!is_same) has_new_bytes_.store(true, std::memory_order_relaxed);
}

void ThroughputState::keep_again() {
  const std::lock_guard lock(mutex_);
  set_changed();
}

void ThroughputState::catch_up(BillingMode kept_mode, Timestamp now) {
  const std::lock_guard lock(mutex_);
  if (!is_on_demand()) return warm_up_to_provisioned(now);
  warm_up(parameters_->on_demand_initial, now);
  if (kept_mode != settings_.mode) begin_peaks();
}

void ThroughputState::begin_after_pause(Timestamp since, Timestamp now) {
  const std::int64_t paused_s = (now.unix_us - since.unix_us) / kMicroPerUnit;
  begin_buckets(now, parameters_->initial_burst_s + std::max<std::int64_t>(paused_s, 0));
}

void ThroughputState::resume(const KeptBalances& balances, Timestamp now) {
  constexpr std::int64_t kMore = std::numeric_limits<std::int64_t>::max();  // than any one holds
  begin_buckets(now, parameters_->initial_burst_s);
  const Timestamp then = std::min(balances.as_of, now);
  auto lacking = balances.lacking.begin();
  for_each_bucket([&](std::uint32_t number, TokenBucket& bucket) {
    while (lacking != balances.lacking.end() && lacking->number < number) ++lacking;
    const bool lacks = lacking != balances.lacking.end() && lacking->number == number;
    bucket.resume(lacks ? lacking->balance_micro : kMore, then, now);
  });
  kept_drawn_milli_ = drawn_milli();
}

void ThroughputState::set_size(std::int64_t size_bytes) {
  const std::vector<Partition*> partitions = partitions_.all();
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
  partitions.front()->size_bytes += left_bytes;  // of rounding
}

}  // namespace stator::capacity
