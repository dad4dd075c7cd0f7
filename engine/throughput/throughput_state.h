// ThroughputState: the throughput that one table or global index can serve at the moment, and its
// demand. It exists beside the table while the process runs.
//
// A charge passes if every limit is open: first those of the whole (own_buckets.h), then its
// partition's. Changes over time (ends of windows, splits, growth, new settings; timeline.h) are
// applied at the next call, in the order of time and before the call's own work. Nothing runs by
// itself; the result depends only on times and charges.
//
// Threads. Charges may come from any thread and never wait: buckets and counters are atomics, and
// partitions are found in trees that only grow (partition.h). The first thread to arrive after a
// change is due applies it under a mutex that it only tries to lock; the others continue with the
// previous state. Within one thread everything is exact; between threads a charge of the same
// moment may count in the window before. All other calls lock the mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/capacity/parameters.h"
#include "engine/capacity/partition_heat.h"
#include "engine/capacity/token_bucket.h"
#include "engine/schema/capacity.h"
#include "engine/throughput/all_buckets.h"
#include "engine/throughput/demand.h"
#include "engine/throughput/own_buckets.h"
#include "engine/throughput/partition_shares.h"
#include "engine/throughput/persistence.h"
#include "engine/throughput/settings_history.h"
#include "engine/throughput/table_partitions.h"
#include "engine/throughput/throughput_values.h"
#include "engine/throughput/throughput_watcher.h"
#include "engine/throughput/timeline.h"

namespace stator::capacity {

class ThroughputState : public std::enable_shared_from_this<ThroughputState> {
 public:
  using Parameters = std::shared_ptr<const CapacityParameters>;
  enum class Of : std::uint8_t { Table, Index };

  // Creates a new state of at least `warm` throughput. For an index `table` is not null; used only
  // here.
  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const Throughput& warm = {},
                  const ThroughputState* table = nullptr);
  // Restores the state from its persisted form.
  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const PersistedThroughput& persisted,
                  const ThroughputState* table = nullptr);
  ThroughputState(const ThroughputState&) = delete;
  ThroughputState& operator=(const ThroughputState&) = delete;

  // --- Charges (requests use engine/throughput/admission.h). Any thread.

  // Applies all changes due by `now`.
  void settle(Timestamp now);
  // The exhausted limit of the whole table or index, if any.
  std::optional<Limit> exhausted(Dimension dimension, Timestamp now) const {
    return own_.exhausted(dimension, is_on_demand(), now);
  }
  // Whether a charge at some position may be throttled; true also if there are too many partitions
  // to check.
  bool may_refuse(Dimension dimension, Timestamp now);
  // Draws from all buckets. refund() undoes it at the same `now`.
  void draw(Dimension dimension, const Place& place, std::int64_t units_milli, Timestamp now) {
    const std::int64_t units_micro = units_milli * kMicroPerMilli;
    own_.draw(dimension, is_on_demand(), units_micro, now);
    Partition::Side& partition = partitions_.at(place).side(dimension);
    partition.limit.take(units_micro, now);
    partition.share.take(units_micro, now);
  }
  void refund(Dimension dimension, const Place& place, std::int64_t units_milli) {
    const std::int64_t units_micro = units_milli * kMicroPerMilli;
    own_.refund(dimension, is_on_demand(), units_micro);
    Partition::Side& partition = partitions_.at(place).side(dimension);
    partition.limit.refund(units_micro);
    partition.share.refund(units_micro);
  }
  // Count a drawn charge that is final, and one not drawn because this or another state throttled
  // its request. Of several charges that one limit throttled, only the first passes `by`.
  void count_consumed(Dimension dimension, const Place& place, std::int64_t units_milli);
  void count_refused(Dimension dimension, const Place& place, std::int64_t units_milli,
                     std::optional<Limit> by, Timestamp now);
  bool is_index() const { return of_ == Of::Index; }
  bool is_on_demand() const { return is_on_demand_.load(std::memory_order_relaxed); }
  const CapacityParameters& parameters() const { return *parameters_; }
  // The tally of throttled charges; null until the first one. Any thread. Calls `named` only to
  // create it.
  ThrottleTally* tally() const { return demand_.tally(); }
  template <class Named>
  ThrottleTally& tally(Named named) {
    return demand_.tally(std::move(named));
  }

  // --- Changes

  // Takes effect at `at` and replaces any scheduled change.
  void configure(const CapacitySettings& settings, Timestamp at, Timestamp now);
  // Raises warm throughput; replaces an unfinished raise. Returns when it will be complete.
  Timestamp schedule_warm_throughput(const Throughput& to, Timestamp now);
  Throughput warm() const {
    const std::lock_guard lock(mutex_);
    return warm_;
  }
  CurrentThroughput served_at_once(Timestamp now);
  // The last times at which the mode was switched to on demand, rising; not the initial mode.
  std::vector<Timestamp> on_demand_switches() const {
    const std::lock_guard lock(mutex_);
    return settings_.on_demand_switches();
  }
  // When a change is due without any charge; max() if none. Ends of windows do not count.
  Timestamp next_due() const {
    const std::lock_guard lock(mutex_);
    return timeline_.next_change();
  }

  // --- Partitions

  // For what any thread may ask.
  const TablePartitions& partitions() const { return partitions_; }
  // Records that items in the position's partition grew or shrank. Any thread. True if the
  // partition is too large: the caller then calls split_for_size(), or mark_unsplittable() if no
  // split is possible.
  bool add_bytes(const Place& place, std::int64_t size_bytes) {
    const TablePartitions::Growth growth = partitions_.add_bytes(place, size_bytes);
    if (growth.is_notable) mark_changed();
    return growth.is_too_large;
  }
  void mark_unsplittable(const Place& place) { partitions_.mark_unsplittable(place); }
  // Whether partitions may be split inside an item collection.
  bool divides_collections() const { return divides_collections_.load(std::memory_order_relaxed); }
  // Splits the hash space into at least this many ranges, equal where it was not split before.
  void divide(std::uint32_t partitions, Timestamp now);
  // Splits the partition at the boundary, with `low_bytes` before it. REQUIRES: the boundary is in
  // the partition. False if not possible.
  bool split_for_size(const Position& boundary, std::int64_t low_bytes, Timestamp now);
  // For a restored state: sets the total bytes of its partitions.
  void set_size(std::int64_t size_bytes) { partitions_.set_size(size_bytes); }
  // Hashes at which the second halves of split partitions begin, if they begin at a hash: the last
  // splits, oldest first.
  std::vector<std::uint32_t> split_hashes() const {
    const std::lock_guard lock(mutex_);
    return partitions_.split_hashes();
  }
  // Whether there are such splits and the table has an enabled stream.
  bool divides_stream() const;

  // --- Persistence

  // From now on calls `watcher`, which must outlive all charges and knows this state by `id`.
  // REQUIRES: a shared_ptr owns the state and no other thread uses it yet.
  void watch(ThroughputWatcher& watcher, std::uint32_t id);
  std::uint32_t id() const { return persistence_.id(); }
  // Applies all changes due by `now`. Returns whether there is state to persist: store
  // persistent_form(), then call was_persisted().
  bool look(Timestamp now);
  PersistedThroughput persistent_form(Timestamp now);
  void was_persisted(const PersistedThroughput& persisted);
  // Whether units were drawn since the balances last passed to was_persisted() and some bucket is
  // still not full. look() reports this a while after they were drawn.
  bool has_new_debits(Timestamp now) {
    const std::lock_guard lock(mutex_);
    return has_new_debits_locked(now);
  }
  // Marks the state as changed, because data persisted beside it changed.
  void mark_changed() {
    const std::lock_guard lock(mutex_);
    set_changed();
  }
  // Applies the throughput that its settings came to require since it was persisted.
  // `persisted_mode` is the mode at that time.
  void catch_up(BillingMode persisted_mode, Timestamp now);
  // For a restored state. begin_after_pause(): balances unknown; buckets start as new ones that had
  // the pause to fill. resume(): sets the persisted balances, plus the refill since.
  void begin_after_pause(Timestamp since, Timestamp now);
  void resume(const PersistedBalances& balances, Timestamp now);

  // --- Reports

  ThroughputReport report(Timestamp now);
  ThroughputUse use(Timestamp now) {
    const std::lock_guard lock(mutex_);
    settle_locked(now);
    return demand_.use(partitions_.all());
  }
  // Changes with each charge that is served or throttled. Takes no lock.
  std::int64_t counted_milli() const { return demand_.counted_milli(); }
  // Returns counts not reported yet and marks them reported. One caller at a time.
  UnreportedThrottles take_unreported(Timestamp now);

 private:
  using Change = Timeline::Change;
  static constexpr std::int64_t kMicroPerMilli = kMicroPerUnit / kMilliPerUnit;

  ThroughputState(Of of, const CapacitySettings& settings, const Parameters& parameters,
                  Timestamp now, const std::vector<Position>& begins, const ThroughputState* table);

  // --- REQUIRES: the mutex is held.
  void settle_locked(Timestamp now);
  void run(const Change& change);
  bool end_window(Timestamp at);
  std::int64_t end_window_of(Partition& partition, Dimension dimension, Timestamp at);
  void schedule(Change change);
  void cancel(Change::What what);
  void set_due();
  bool affects_stream() const;
  void set_changed() { persistence_.set_changed(affects_stream()); }
  void ask_for_look();
  bool has_new_debits_locked(Timestamp now);
  void begin_buckets(Timestamp now, std::int64_t filled_s);
  void refresh_buckets(Timestamp now);
  void begin_peaks();
  void grow_later(Dimension dimension, Timestamp at);
  void apply_settings(Timestamp at);
  void warm_up(const Throughput& to, Timestamp at);
  void warm_up_to_provisioned(Timestamp at);
  void double_partitions(std::uint32_t wanted, Timestamp at);
  bool split(const Position& boundary, SplitCause cause, Timestamp at);

  const Of of_;
  const Parameters parameters_;
  std::atomic<bool> is_on_demand_;
  std::atomic<bool> divides_collections_;
  std::atomic<std::int64_t> due_us_{0};  // when settle() has work to do
  // Charges use these three without the mutex.
  OwnBuckets own_;
  TablePartitions partitions_;
  Demand demand_;
  const PartitionHeat heat_;

  mutable std::mutex mutex_;  // guards the members below, and the halves of partitions
  Timeline timeline_;
  PartitionShares shares_;
  Persistence persistence_;
  SettingsHistory settings_;
  Throughput warm_;
  bool was_warmed_ = false;
  Timestamp refreshed_;
  bool was_quiet_ = true;  // whether the last ended window had no demand
};

}  // namespace stator::capacity
