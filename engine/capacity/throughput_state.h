// ThroughputState: what one table, or one global index, can serve at the moment, and what was asked
// of it. It stands beside the table while the process runs.
//
// A charge passes when every limit over it is open: those of the whole (throughput provisioned, or
// the maximum set and the account's quota on demand), then its partition's. What time brings (ends
// of windows, splits, growth, new settings) happens when somebody looks, in the order of time and
// before what he asks: nothing runs by itself, and what happens depends on times and charges alone.
//
// Threads. Charges are for any thread and wait for nobody: buckets and counters are atomics, and
// partitions are found in trees that only grow (partition.h). What time brings is done by the first
// who comes behind it, under a mutex that is only tried; others go on with what was. In the order
// of one thread everything is exact; between threads a charge of the same moment may fall into the
// window before. All other calls take the mutex.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/capacity/parameters.h"
#include "engine/capacity/partition.h"
#include "engine/capacity/throttle_tally.h"
#include "engine/capacity/throughput_values.h"

namespace stator::capacity {

// So long after units were drawn, what buckets have is kept: so much of them a kill may lose.
inline constexpr std::chrono::seconds kBalancesKeptAfter{1};

// The account's quota. A table and its indexes may share one (AccountScope).
struct AccountBuckets {
  std::array<TokenBucket, kDimensions> sides;
};

class ThroughputState;

// Is told when a state wants to be looked at: when something of it is to be kept, at once, and when
// time brings something that should not wait for a charge.
class ThroughputWatcher {
 public:
  virtual ~ThroughputWatcher() = default;
  // From any thread, inside a call of the state, which must not be called from here.
  virtual void look_at(const std::weak_ptr<ThroughputState>& state, Timestamp at) noexcept = 0;
  // Whether anything is kept. If not, only tables with a stream want to be looked at, and not at
  // the ends of windows, which the next charge brings.
  virtual bool keeps() const noexcept { return true; }
};

class ThroughputState : public std::enable_shared_from_this<ThroughputState> {
 public:
  using Parameters = std::shared_ptr<const CapacityParameters>;
  enum class Of : std::uint8_t { Table, Index };

  // A new one, of at least `warm` throughput. `table` is an index's: not null, used here only.
  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const Throughput& warm = {},
                  const ThroughputState* table = nullptr);
  // As it was.
  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const KeptThroughput& kept,
                  const ThroughputState* table = nullptr);
  ~ThroughputState();
  ThroughputState(const ThroughputState&) = delete;
  ThroughputState& operator=(const ThroughputState&) = delete;

  // --- Charges (engine/capacity/admission.h has them for requests). From any thread.

  // What is due by now happens.
  void settle(Timestamp now);
  // The limit of the whole that is exhausted, if any.
  std::optional<Limit> exhausted(Dimension dimension, Timestamp now) const;
  // Whether the partition of the place serves another charge.
  bool serves(Dimension dimension, const Place& place, Timestamp now) const;
  // Whether a charge of some place may be refused; also when there are too many partitions to ask
  // them all.
  bool may_refuse(Dimension dimension, Timestamp now);
  // From all buckets. give_back() undoes it at the same moment.
  void draw(Dimension dimension, const Place& place, std::int64_t units_milli, Timestamp now);
  void give_back(Dimension dimension, const Place& place, std::int64_t units_milli);
  // What was drawn for good, and what was not: by a request that this, or another, refused. Of the
  // charges that one limit refused the first says so (`by`).
  void count_consumed(Dimension dimension, const Place& place, std::int64_t units_milli);
  void count_refused(Dimension dimension, const Place& place, std::int64_t units_milli,
                     std::optional<Limit> by, Timestamp now);
  bool is_index() const { return of_ == Of::Index; }
  bool is_on_demand() const { return is_on_demand_.load(std::memory_order_relaxed); }
  const CapacityParameters& parameters() const { return *parameters_; }

  // --- Changes

  // From `at` on; what was to come before is replaced.
  void configure(const CapacitySettings& settings, Timestamp at, Timestamp now);
  // More throughput is to be there at once; a later call replaces one that is not done. Returns
  // when it will be.
  Timestamp begin_warming(const Throughput& to, Timestamp now);
  // Items of the place's partition grew (shrank) by so much. From any thread. True: the partition
  // is over its size, and split_for_size() is due, or keep_whole() when that is not possible.
  bool add_bytes(const Place& place, std::int64_t size_bytes);
  // The partition that has the place, until it is split: where it begins and which hashes it has,
  // the last one of them in part.
  struct Range {
    Position begin;
    std::uint32_t hash_end = 0;  // behind the last one
    std::int64_t size_bytes = 0;
    bool is_too_large = false;
  };
  Range range_of(const Place& place) const;
  void keep_whole(const Place& place);
  // Whether a partition begins inside a collection, so that sort keys tell places apart.
  bool has_divided() const { return has_divided_.load(std::memory_order_relaxed); }
  // Where partitions begin, rising: the one that has the place, then those behind it that begin
  // before `end`. From any thread, and waits for nobody.
  std::vector<Position> begins_from(const Place& place, const Position& end) const;
  // Whether one may.
  bool divides_collections() const { return divides_collections_.load(std::memory_order_relaxed); }
  // Cuts it to at least so many ranges of hashes, all as long as each other where it was whole.
  void divide(std::uint32_t partitions, Timestamp now);
  // So much lies before the boundary. REQUIRES: it is in the partition. False: not possible.
  bool split_for_size(const Position& boundary, std::int64_t low_bytes, Timestamp now);

  // --- Being kept

  // From now on `watcher` is told, and must outlive all charges; `id` is what it knows this by.
  // REQUIRES: a shared_ptr has it, and nobody else uses it yet.
  void watch(ThroughputWatcher& watcher, std::uint32_t id);
  std::uint32_t id() const { return id_; }
  // What is due by now happens. Whether there is something to keep: kept(), and was_kept() when
  // that is stored.
  bool look(Timestamp now);
  KeptThroughput kept(Timestamp now);
  void was_kept(const KeptThroughput& kept);
  // Whether units were drawn that kept() was not told of by was_kept(), and that buckets still
  // lack. look() says so a while after they were drawn.
  bool has_new_debits(Timestamp now);
  // What is kept beside it has changed.
  void keep_again();
  // What its settings came to ask for since they were kept, when they were of this mode.
  void catch_up(BillingMode kept_mode, Timestamp now);
  // Of a state made anew. After a pause without knowledge of buckets they are what new ones would
  // be by now; else what they were, with what came in since.
  void begin_after_pause(Timestamp since, Timestamp now);
  void resume(const KeptBalances& balances, Timestamp now);
  // All bytes of its partitions are so many: shared out as what is known of each.
  void set_size(std::int64_t size_bytes);
  // Whether bytes were added that kept() was not told of by was_kept().
  bool has_new_bytes() const { return has_new_bytes_.load(std::memory_order_relaxed); }

  // --- What it tells

  std::uint32_t partition_count() const { return static_cast<std::uint32_t>(partitions_.count()); }
  Throughput warm() const;
  ServedAtOnce served_at_once(Timestamp now);
  // The last times at which the mode was changed to on demand, rising; not what it began with.
  std::vector<Timestamp> on_demand_switches() const;
  // Where partitions that were split have had their second halves since, as far as these begin with
  // a hash: of the last splits, the oldest first.
  std::vector<std::uint32_t> split_hashes() const;
  // Whether there are such, of a table with an enabled stream.
  bool divides_stream() const;
  // When something is due though nobody asks; max() when nothing is. Ends of windows do not count.
  Timestamp next_due() const;
  ThroughputReport report(Timestamp now);

  // Of what is refused: null until it was made, from any thread. `named` is asked when it is.
  ThrottleTally* tally() const { return tally_.load(std::memory_order_acquire); }
  template <class Named>
  ThrottleTally& tally(Named named) {
    ThrottleTally* known = tally();
    return known != nullptr ? *known : begin_tally(named());
  }
  // For one teller, to whom it is told only once.
  UntoldRefusals take_untold(Timestamp now);

 private:
  struct Side {
    TokenBucket own;  // throughput provisioned, or the maximum on demand
    std::atomic<std::int64_t> consumed_milli{0};
    std::atomic<std::int64_t> refused_milli{0};
    std::array<std::atomic<std::uint64_t>, kLimits> refused{};
    std::array<std::uint64_t, kLimits> refused_told{};
    std::int64_t refused_before_milli = 0;  // of refused_milli, before the open window
    std::int64_t carried_milli = 0;  // consumed in the open window by partitions that were split
    std::int64_t minute_milli = 0;
    std::int64_t peak_milli = 0;         // highest consumption of a window, on demand
    std::int64_t demand_peak_milli = 0;  // with what was refused
  };
  struct Timer {
    enum class What : std::uint8_t { Configure, Warm, Grow, HeatSplit, Boost };
    Timestamp at;
    What what;
    Throughput warm_to = {};
    Position boundary = {};  // or where a partition begins
    Dimension dimension = Dimension::Read;
  };

  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const std::vector<Position>& begins, const ThroughputState* table);
  Side& side(Dimension dimension) { return sides_[static_cast<std::size_t>(dimension)]; }
  const Side& side(Dimension dimension) const {
    return sides_[static_cast<std::size_t>(dimension)];
  }
  TokenBucket& account(Dimension dimension) const {
    return account_->sides[static_cast<std::size_t>(dimension)];
  }
  bool has_shares() const;
  std::int64_t limit_units(Dimension dimension) const;
  std::int64_t hot_milli(Dimension dimension) const;
  void feel_heat(Partition& partition, Dimension dimension, const Place& place,
                 std::int64_t units_milli, bool was_refused);

  ThrottleTally& begin_tally(TallyOf of);

  // Under the mutex.
  void settle_locked(Timestamp now);
  void begin_buckets(Timestamp now, std::int64_t filled_s);
  bool shares_account() const;
  template <class Visit>
  void for_each_bucket(Visit visit);
  KeptBalances balances(Timestamp now);
  std::int64_t drawn_milli() const;
  bool has_new_debits_locked(Timestamp now);
  void begin_peaks();
  void run(const Timer& timer);
  void schedule(Timer timer);
  void cancel(Timer::What what);
  bool is_warming() const;
  bool end_window(Timestamp at);
  void end_window_of(Partition& partition, Dimension dimension, Timestamp at);
  void refresh_buckets(Timestamp now);
  void set_due();
  bool is_watched() const;
  void set_changed();
  void ask_for_look();
  void grow_later(Dimension dimension, Timestamp at);
  void apply(const CapacitySettings& settings, Timestamp at);
  void warm_up(const Throughput& to, Timestamp at);
  void warm_up_to_provisioned(Timestamp at);
  void double_partitions(std::uint32_t wanted, Timestamp at);
  bool split(const Position& boundary, SplitCause cause, Timestamp at);
  void share_out(Timestamp now);
  void boost(const Position& begin, Dimension dimension, Timestamp at);
  Rate own_rate(Dimension dimension) const;
  std::int64_t open_window_milli(Dimension dimension) const;

  const Of of_;
  const Parameters parameters_;
  std::atomic<bool> is_on_demand_;
  std::atomic<bool> divides_collections_;
  std::atomic<std::int64_t> due_us_;  // when settle() has something to do
  std::array<Side, kDimensions> sides_;
  std::shared_ptr<AccountBuckets> account_;
  PartitionMap partitions_;
  std::atomic<SharedKeySketch*> accessed_{nullptr};  // owned; since the first charge
  // Owned; since the first that was refused.
  std::array<std::atomic<SharedKeySketch*>, kDimensions> throttled_{};
  std::atomic<ThrottleTally*> tally_{nullptr};  // owned
  std::atomic<bool> has_new_bytes_{false};
  std::atomic<bool> has_divided_{false};

  mutable std::mutex mutex_;  // guards what follows, and the halves of partitions
  CapacitySettings settings_;
  std::optional<CapacitySettings> next_settings_;
  Throughput warm_;
  bool was_warmed_ = false;
  Timestamp window_end_;
  Timestamp refreshed_;
  std::vector<Timer> timers_;  // by time
  std::vector<PartitionSplit> splits_;
  ThroughputWatcher* watcher_ = nullptr;
  std::uint32_t id_ = 0;
  std::vector<Timestamp> on_demand_switches_;  // the last ones
  std::uint64_t version_ = 0;                  // of what is kept
  std::uint64_t kept_version_ = 0;
  bool is_awaited_ = false;  // the watcher comes at the end of the window
  // When it comes for what was drawn; max(): the next charge lets it come.
  Timestamp balances_due_ = Timestamp::max();
  bool wants_balances_ = false;  // it came and has not kept them yet
  // When they were kept; empty: they never were, and are not those of a new state.
  std::optional<std::int64_t> kept_drawn_milli_;
  bool was_quiet_ = true;  // the last window that ended
};

}  // namespace stator::capacity
