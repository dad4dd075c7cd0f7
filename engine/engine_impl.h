// What Engine holds. Internal to this folder.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/seams/engine_clock.h"
#include "engine/state/flights.h"
#include "engine/state/kept_clock.h"
#include "engine/state/kept_time.h"
#include "engine/state/lagging_snapshots.h"
#include "engine/state/mark_state.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/state/snapshot.h"
#include "engine/storage/damage.h"
#include "engine/storage/undo_log.h"
#include "engine/storage/waited_job.h"
#include "engine/throttle_log.h"
#include "engine/throughput_keeper.h"
#include "protocol/expression/cache.h"
#include "protocol/partiql/statement_cache.h"

namespace stator {

// Listens to the commit queue; holds everything the engine owns.
struct Engine::Impl final : storage::BatchObserver {
  Impl(const Settings& settings_, const Clock& clock_, Timestamp not_before, Random& random_,
       Warn warn_, std::unique_ptr<storage::Environment> environment_,
       std::shared_ptr<const Catalog> tables, std::shared_ptr<const Consumers> consumers)
      : settings(settings_),
        clock(clock_, not_before),
        warnings(settings_, std::move(warn_)),
        environment(std::move(environment_)),
        catalog(tables),
        batch(std::move(tables), std::move(consumers), settings_),
        mutation(random_),
        queue(*environment, *this, leader_for(*environment, settings_)) {
    if (settings.eventual_read_lag.count() > 0)
      past = std::make_unique<LaggingSnapshots>(*environment, settings.eventual_read_lag);
  }

  static storage::CommitQueue::Leader leader_for(const storage::Environment& environment,
                                                 const Settings& settings) {
    const bool waits_for_disk =
        !environment.in_memory() && settings.storage.sync == storage::Sync::Commit;
    return waits_for_disk ? storage::CommitQueue::Leader::Thread
                          : storage::CommitQueue::Leader::Caller;
  }

  Result<void> before_commit(storage::WriteTransaction& transaction) override {
    STATOR_CHECK(bound_marks(transaction));
    STATOR_CHECK(batch.before_commit(transaction));
    if (!environment->in_memory()) {
      const ClockPace pace = movable != nullptr ? movable->pace() : ClockPace();
      STATOR_CHECK(kept_clock.before_commit(pace, transaction));
      STATOR_CHECK(kept_time.before_commit(clock.now(), pace.stands(), transaction));
    }
    if (past) past->about_to_commit(clock.now());
    if (went_back) goes_back_with = transaction.id();
    return {};
  }

  void batch_ended(const Error* failure) noexcept override {
    const MutationApplier::Ended ended = batch.end(failure == nullptr, clock.now());
    kept_clock.batch_ended(failure == nullptr);
    kept_time.batch_ended(failure == nullptr);
    // An index is complete in its latest state only, so it is published behind this.
    if (past && (failure != nullptr || ended.index_became_active || went_back)) past->restart();
    if (ended.has_too_large_streams)
      warnings.tell_once(
          "streams exceed --stream-max-bytes, their oldest records go before their time");
    if (ended.gave_up_tokens)
      warnings.tell_once("there are too many client tokens, the oldest go before their time");
    if (ended.catalog_changed) catalog.store(batch.catalog());
    marks_ended(failure);
    if (failure == nullptr) {
      if (!ended.oversized.empty()) split_for_size(ended.oversized);
      const auto due = maintenance.batch_committed(ended, *batch.catalog());
      if (due && tell_due) tell_due(*due);
      const bool has_room_again = warnings.batch_committed(*environment);
      if (has_room_again && maintenance.room_returned() && tell_due) tell_due(Timestamp::min());
    } else {
      warnings.batch_failed(*failure, *environment);
    }
  }

  void keep_exact_time();
  Result<void> load_throughput(Timestamp before);
  // Marks (marks.cpp), on the leader's thread.
  Result<void> go_back(const storage::Mark& mark, storage::WriteTransaction& transaction);
  void turn_clock_back(const MarkState& state);
  // `why` is for the log; empty: it was asked for. No-op without marks.
  Result<void> give_up_marks(storage::WriteTransaction& transaction, std::string_view why);
  Result<void> bound_marks(storage::WriteTransaction& transaction);
  void marks_ended(const Error* failure) noexcept;
  void enter_all_chores() noexcept;
  void split_for_size(const std::vector<OversizedPartition>& oversized) noexcept;

  // Queues flights whose time has come, in the order given.
  void land(const std::vector<storage::CommitJob*>& jobs, WriteJob::Phase phase);
  // What chores, flights, the log and throughput leave to be done.
  MaintenanceState state(Timestamp now) {
    MaintenanceState state = maintenance.state(now);
    for (const auto& due :
         {flights.next_due(), throttle_log.next_due(), throughput_keeper.next_due()}) {
      if (!due) continue;
      state.is_due = state.is_due || *due <= now;
      state.next_due = std::min(*due, state.next_due.value_or(*due));
    }
    state.is_due = state.is_due || must_give_up_marks;
    return state;
  }
  // The call's outcome stands unless it was given up or failed: then what it took counts, and what
  // it should not have got is told.
  void settle(Call& call, const Error* error) const {
    const bool is_given_up = error != nullptr && (error->code() == ErrorCode::InternalFailure ||
                                                  error->code() == ErrorCode::InternalServerError);
    if (is_given_up) return call.charging.undo();
    call.charging.settle();
    const auto due = throttle_log.note(call.charging.refused(), call.charging.limited());
    if (due && tell_due) tell_due(*due);
  }

  Result<void> find_chores() {
    storage::ReadTransaction transaction(*environment);
    STATOR_CHECK(transaction.acquire());
    return maintenance.find_all(transaction, *batch.catalog());
  }

  // What a read sees: `earlier`, or the latest state, which its transaction has acquired.
  struct View {
    const Catalog& catalog;
    Timestamp now;
    std::shared_ptr<SharedSnapshot> earlier;
  };
  Result<bool> lacks_client_secret() const;
  Result<View> view(storage::ReadTransaction& transaction, Published<Catalog>::Reader& tables,
                    bool may_lag) const;

  const Settings& settings;
  EngineClock clock;
  MovableClock* movable = nullptr;  // what that one follows, if it can be moved
  expr::ExpressionCache expressions;
  partiql::StatementCache statements;
  Warnings warnings;
  std::unique_ptr<storage::Environment> environment;
  Published<Catalog> catalog;
  std::unique_ptr<LaggingSnapshots> past;  // with Settings::eventual_read_lag
  std::function<void(Timestamp)> tell_due;
  Flights flights;
  mutable ThrottleLog throttle_log{warnings, settings.isolation};

  // The leader's.
  MutationApplier batch;
  Mutation mutation;
  KeptClock kept_clock;
  KeptTime kept_time;
  Maintenance maintenance{batch, mutation, settings};
  ThroughputKeeper throughput_keeper{tell_due, batch};

  // A batch that goes back to a mark.
  struct WentBack {
    struct From {
      Timestamp time;
      double rate;
    };
    std::optional<From> from;  // where the clock was, if it was turned back
  };
  std::optional<WentBack> went_back;
  std::string why_marks_went;  // by the batch
  // The store was full while there were marks. From any thread.
  std::atomic<bool> must_give_up_marks{false};
  // The transaction that goes back to a mark while the tables of before are still published; 0:
  // none does. From any thread.
  std::atomic<std::uint64_t> goes_back_with{0};

  storage::CommitQueue queue;  // last: its thread uses the rest
};

}  // namespace stator
