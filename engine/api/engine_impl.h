// The members of Engine. Internal to this folder.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/lagging_snapshots.h"
#include "engine/catalog/mark_state.h"
#include "engine/catalog/published.h"
#include "engine/maintenance/maintenance.h"
#include "engine/maintenance/throughput_persister.h"
#include "engine/operations/operation.h"
#include "engine/reports/throttle_log.h"
#include "engine/reports/warnings.h"
#include "engine/seams/engine_clock.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/state/leader_state.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/state/stream_life.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/environment/blocking_job.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/environment/undo_log.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/partiql/statement_cache.h"

namespace stator {

struct Engine::Reader::Impl {
  Impl(const storage::Environment& environment, const Published<Catalog>& catalog)
      : transaction(environment), tables(catalog) {}

  storage::ReadTransaction transaction;
  Published<Catalog>::Reader tables;
};

// Owns the parts of the engine, and listens to the commit queue.
struct Engine::Impl final : storage::BatchListener {
  // REQUIRES: storage::is_leading(), as for what is read before the first job.
  Impl(const Settings& settings_, const Clock& clock_, Timestamp not_before, Random& random_,
       Warn warn_, std::unique_ptr<storage::Environment> environment_,
       std::shared_ptr<const Catalog> tables, std::shared_ptr<const Consumers> consumers)
      : settings(settings_),
        clock(clock_, not_before),
        warnings(settings_, std::move(warn_)),
        environment(std::move(environment_)),
        catalog(tables),
        leader(std::move(tables), std::move(consumers), settings_, random_),
        queue(*environment, *this, leader_for(*environment, settings_)) {}

  static storage::CommitQueue::Leader leader_for(const storage::Environment& environment,
                                                 const Settings& settings) {
    const bool waits_for_disk =
        !environment.in_memory() && settings.storage.sync == storage::Sync::Commit;
    return waits_for_disk ? storage::CommitQueue::Leader::Thread
                          : storage::CommitQueue::Leader::Caller;
  }

  Result<void> before_commit(storage::WriteTransaction& transaction) override {
    LeaderState& own = *leader;
    STATOR_CHECK(bound_marks(transaction));
    STATOR_CHECK(own.batch.before_commit(transaction));
    if (!environment->in_memory()) {
      const ClockPace pace = movable != nullptr ? movable->pace() : ClockPace();
      STATOR_CHECK(own.kept_clock.before_commit(pace, transaction));
      STATOR_CHECK(own.kept_time.before_commit(clock.now(), pace.stands(), transaction));
    }
    if (past.is_on()) past.about_to_commit(clock.now());
    if (own.went_back) goes_back_with = transaction.id();
    return {};
  }

  void batch_ended(const Error* failure) noexcept override {
    LeaderState& own = *leader;
    const MutationApplier::Ended ended = own.batch.end(failure == nullptr, clock.now());
    const auto settings_before = std::exchange(own.settings_before, std::nullopt);
    if (settings_before && failure != nullptr) settings_before->put_in_force(own.settings);
    own.kept_clock.batch_ended(failure == nullptr);
    own.kept_time.batch_ended(failure == nullptr);
    // A new index or a restored table is complete only in its latest state, so restart() comes
    // before its publication.
    if (past.is_on() && (failure != nullptr || ended.data_became_complete || own.went_back))
      past.restart();
    if (ended.has_too_large_streams)
      warnings.warn_once(
          "streams exceed --stream-max-bytes: their oldest records are removed early");
    if (ended.gave_up_records)
      warnings.warn_once("the store is full: the oldest records of streams are removed early");
    if (ended.gave_up_history)
      warnings.warn_once(
          "the history of tables with point-in-time recovery exceeds --pitr-max-bytes or the "
          "store: "
          "their earliest restorable times move up");
    if (ended.gave_up_streams)
      warnings.warn_once("there are more than " + std::to_string(kClosedStreamsMax) +
                         " closed streams: the oldest are removed early");
    if (ended.gave_up_tokens)
      warnings.warn_once("there are too many client tokens: the oldest are removed early");
    if (ended.catalog_changed) catalog.store(own.batch.catalog());
    marks_ended(failure);
    if (failure == nullptr) {
      if (!ended.oversized.empty()) split_for_size(ended.oversized);
      const auto due = maintenance.batch_committed(ended, *own.batch.catalog());
      if (due && log_due) log_due(*due);
      if (ended.has_ready_job && job_ready) job_ready();
      const bool has_news = ended.catalog_changed || !ended.journaled.empty();
      if (has_news && journal_grew) journal_grew(/*went_back=*/false);
      if (ended.has_kinesis_work && kinesis_work) kinesis_work();
      const bool has_room_again = warnings.batch_committed(*environment);
      if (has_room_again && maintenance.space_returned() && log_due) log_due(Timestamp::min());
      if (warnings.is_full() && !ended.journaled.empty()) reclaim_space();
    } else {
      warnings.batch_failed(*failure, *environment);
      if (warnings.is_full()) reclaim_space();
    }
  }

  // After a batch, if the store is full. Marks must go first (marks_ended): while there are any,
  // the undo log retains erased records, so erasing frees no space.
  void reclaim_space() noexcept {
    if (!environment->has_marks() && maintenance.room_is_short() && log_due)
      log_due(Timestamp::min());
  }
  void keep_exact_time();
  Result<void> load_throughput(Timestamp before);
  // Whether Engine::set_delays() has work to do. Call on the leader's thread.
  Result<bool> has_other_delays(const storage::Transaction& transaction) const;
  // Initialises the leader's state. `before` is the time of the last commit. Returns whether
  // Engine::set_delays() has work to do. The error is one line for the user. REQUIRES:
  // storage::is_leading(), as for find_chores().
  tl::expected<bool, std::string> begin(Timestamp before,
                                        const std::optional<ClockPace>& kept_clock);
  // Marks (marks.cpp), on the leader's thread.
  Result<void> roll_back(const storage::Mark& mark, storage::WriteTransaction& transaction);
  void turn_clock_back(const MarkState& state);
  // `why` is for the log; empty if the user asked for it. No-op without marks.
  Result<void> give_up_marks(storage::WriteTransaction& transaction, std::string_view why);
  Result<void> bound_marks(storage::WriteTransaction& transaction);
  void marks_ended(const Error* failure) noexcept;
  void note_lost_marks(const std::vector<storage::Mark>& dropped, const std::string& reason);
  // Any thread. Returns whether the mark was among them.
  bool forget_lost_mark(std::string_view name);
  void enter_all_chores() noexcept;
  void split_for_size(const std::vector<OversizedPartition>& oversized) noexcept;

  // Queues transactions whose time has come, in the given order.
  void land(const std::vector<storage::CommitJob*>& jobs, WriteJob::Phase phase);
  // Logs what a chore's work of a user does now; no-op if it has none.
  void log_work(const Engine& engine, const Chore& chore, const std::string& does);
  // How many more times maintain_together() runs a chore alone, after a failure.
  std::size_t chores_alone = 0;
  // The remaining work of chores, transactions, the log and throughput.
  MaintenanceState state(Timestamp now) {
    MaintenanceState state = maintenance.state(now);
    for (const auto& due :
         {flights.next_due(), throttle_log.next_due(), throughput_keeper.next_due()}) {
      if (!due) continue;
      state.is_due = state.is_due || *due <= now;
      state.next_due = std::min(*due, state.next_due.value_or(*due));
    }
    state.is_due = state.is_due || must_give_up_marks;
    state.is_round_open = state.is_round_open || throughput_keeper.is_round_open();
    return state;
  }
  // Settles the charges of a call, and notes throttled ones for the log. After a cancelled or
  // failed call refunds them instead.
  void settle(Call& call, const Error* error) const {
    const bool is_given_up = error != nullptr && (error->code() == ErrorCode::InternalFailure ||
                                                  error->code() == ErrorCode::InternalServerError);
    if (is_given_up) return call.charging.undo();
    call.charging.settle();
    if (call.is_of_own_tool) return;
    const auto due = throttle_log.note(call.charging.refused(), call.charging.limited());
    if (due && log_due) log_due(*due);
  }

  // On the leader's thread.
  Result<void> find_chores() {
    storage::ReadTransaction transaction(*environment);
    STATOR_CHECK(transaction.acquire());
    return maintenance.find_all(transaction, *leader->batch.catalog());
  }

  // The age of the state that a read uses; zero: the latest.
  std::chrono::microseconds age_for(const Call& call) const {
    if (call.consistent_read) return std::chrono::microseconds{0};
    return std::max(call.settings->eventual_read_lag, call.state_age);
  }
  // What a read uses: `earlier`, or else the latest state in its transaction.
  struct View {
    const Catalog& catalog;
    Timestamp now;
    std::shared_ptr<SharedSnapshot> earlier;
  };
  Result<View> view(storage::ReadTransaction& transaction, Published<Catalog>::Reader& tables,
                    std::chrono::microseconds age) const;

  const Settings& settings;  // of the start; LeaderState has those in force
  EngineClock clock;
  MovableClock* movable = nullptr;  // the clock that `clock` follows, if it is movable
  expr::ExpressionCache expressions;
  partiql::StatementCache statements;
  Warnings warnings;
  std::unique_ptr<storage::Environment> environment;
  Published<Catalog> catalog;
  mutable LaggingSnapshots past{*environment, settings.eventual_read_lag};
  std::function<void(Timestamp)> log_due;
  std::function<void()> job_ready;
  std::function<void(bool went_back)> journal_grew;
  std::function<void()> kinesis_work;
  InFlightTransactions flights;
  mutable ThrottleLog throttle_log{warnings, settings.isolation};

  // For the queue's jobs and callbacks. A read on another thread ends the process.
  OwnedLeaderState leader;

  Maintenance maintenance{leader->batch, leader->mutation, leader->settings};
  ThroughputPersister throughput_keeper{log_due, leader};

  mutable std::mutex lost_marks_mutex;
  std::vector<LostMark> lost_marks;  // guarded by it; the newest last

  // The store became full while there were marks. Any thread.
  std::atomic<bool> must_give_up_marks{false};
  // The transaction that rolls back to a mark, while the previous tables are still published; else
  // 0. Any thread.
  std::atomic<std::uint64_t> goes_back_with{0};

  storage::CommitQueue queue;  // last: its thread uses the rest
};

}  // namespace stator
