#include "engine/engine.h"

#include <mutex>
#include <utility>

#include "engine/seams/engine_clock.h"
#include "engine/state/kept_clock.h"
#include "engine/state/kept_time.h"
#include "engine/state/lagging_snapshots.h"
#include "engine/state/loading.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/state/snapshot.h"
#include "engine/storage/damage.h"
#include "engine/storage/waited_job.h"
#include "protocol/expression/cache.h"
#include "protocol/json_reader.h"

namespace stator {
namespace {

using storage::WaitedJob;

// Of the whole body: 61 maps around a value of an item.
constexpr std::size_t kNewLayerDepthMax = 125;
// How long maintenance waits when what it did could not be stored.
constexpr std::chrono::seconds kMaintenanceRetry{1};
// Data that is further ahead of the clock is worth a line in the log.
constexpr std::chrono::seconds kAheadOfClockMax{1};

}  // namespace

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
    STATOR_CHECK(batch.before_commit(transaction));
    if (!environment->in_memory()) {
      const ClockPace pace = movable != nullptr ? movable->pace() : ClockPace();
      STATOR_CHECK(kept_clock.before_commit(pace, transaction));
      STATOR_CHECK(kept_time.before_commit(clock.now(), pace.stands(), transaction));
    }
    if (past) past->about_to_commit(clock.now());
    return {};
  }

  void batch_ended(const Error* failure) noexcept override {
    const MutationApplier::Ended ended = batch.end(failure == nullptr);
    kept_clock.batch_ended(failure == nullptr);
    kept_time.batch_ended(failure == nullptr);
    // An index is complete in its latest state only, so it is published behind this.
    if (past && (failure != nullptr || ended.index_became_active)) past->restart();
    if (ended.has_too_large_streams)
      warnings.tell_once(
          "streams exceed --stream-max-bytes, their oldest records go before their time");
    if (ended.gave_up_tokens)
      warnings.tell_once("there are too many client tokens, the oldest go before their time");
    if (ended.catalog_changed) catalog.store(batch.catalog());
    if (failure == nullptr) {
      const auto due = maintenance.batch_committed(ended, *batch.catalog());
      if (due && tell_due) tell_due(*due);
      warnings.batch_committed(*environment);
    } else {
      warnings.batch_failed(*failure, *environment);
    }
  }

  void keep_exact_time();

  // Queues flights whose time has come, in the order given.
  void land(const std::vector<storage::CommitJob*>& jobs, WriteJob::Phase phase);
  // What chores and flights leave to be done.
  MaintenanceState state(Timestamp now) {
    MaintenanceState state = maintenance.state(now);
    const auto landing = flights.next_due();
    if (!landing) return state;
    state.is_due = state.is_due || *landing <= now;
    state.next_due = std::min(*landing, state.next_due.value_or(*landing));
    return state;
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
  Result<View> view(storage::ReadTransaction& transaction, Published<Catalog>::Reader& tables,
                    bool may_lag) const;

  const Settings& settings;
  const EngineClock clock;
  const MovableClock* movable = nullptr;  // what that one follows, if it can be moved
  expr::ExpressionCache expressions;
  Warnings warnings;
  std::unique_ptr<storage::Environment> environment;
  Published<Catalog> catalog;
  std::unique_ptr<LaggingSnapshots> past;  // with Settings::eventual_read_lag
  std::function<void(Timestamp)> tell_due;
  Flights flights;

  // The leader's.
  MutationApplier batch;
  Mutation mutation;
  KeptClock kept_clock;
  KeptTime kept_time;
  Maintenance maintenance{batch, mutation, settings};

  storage::CommitQueue queue;  // last: its thread uses the rest
};

tl::expected<std::unique_ptr<Engine>, std::string> Engine::open_data(const Settings& settings,
                                                                     const Clock& clock,
                                                                     MovableClock* movable,
                                                                     Random& random, Warn warn) {
  try {
    return open_sound_data(settings, clock, movable, random, std::move(warn));
  } catch (const storage::DamagedData& damage) {
    return tl::unexpected("cannot use the data folder: " + std::string(damage.what()));
  }
}

tl::expected<std::unique_ptr<Engine>, std::string> Engine::open_sound_data(const Settings& settings,
                                                                           const Clock& clock,
                                                                           MovableClock* movable,
                                                                           Random& random,
                                                                           Warn warn) {
  storage::EnvironmentOptions options = settings.storage;
  options.on_migration = [&, is_told = false](const storage::MigrationProgress& progress) mutable {
    if (std::exchange(is_told, true)) return;
    warn("the data was written by format version " + std::to_string(progress.from_version) +
         " and is rewritten for this one");
  };
  auto environment = storage::Environment::open(options);
  if (!environment) return tl::unexpected(environment.error());
  auto catalog = load_catalog(**environment);
  if (!catalog) return tl::unexpected(catalog.error());
  auto consumers = load_consumers(**environment);
  if (!consumers) return tl::unexpected(consumers.error());
  const auto not_before = load_time(**environment, **catalog);
  if (!not_before) return tl::unexpected(not_before.error());
  const auto kept_clock = KeptClock::load(**environment);
  if (!kept_clock) return tl::unexpected(kept_clock.error().message());
  if (movable != nullptr) put_in_place(*movable, *kept_clock, settings.clock, *not_before);
  if (const Timestamp now = clock.now(); *not_before > now.plus(kAheadOfClockMax)) {
    warn("the data was written by a clock " + std::to_string(not_before->unix_s() - now.unix_s()) +
         " s ahead of the system's; its time goes on from there");
  }
  auto engine = std::unique_ptr<Engine>(new Engine(
      std::make_unique<Impl>(settings, clock, *not_before, random, std::move(warn),
                             std::move(*environment), std::move(*catalog), std::move(*consumers))));
  engine->impl_->movable = movable;
  engine->impl_->kept_clock.begin(*kept_clock);
  if (!engine->set_delays())
    return tl::unexpected(std::string("cannot store who follows the tables"));
  if (auto found = engine->impl_->find_chores(); !found)
    return tl::unexpected("cannot read what is left to do: " + found.error().message());
  return engine;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() {
  impl_->keep_exact_time();
  impl_->queue.stop();
}

const Clock& Engine::clock() const { return impl_->clock; }

Result<void> Engine::parse(const JsonNode& body, Call& call) const {
  call.settings = &impl_->settings;
  call.wording = Wording::of(impl_->settings.error_wording, call.operation->layer);
  call.expressions = &impl_->expressions;
  auto parsed = call.operation->parse(body, call);
  // The new layer leaves what is nested too deep for its own reader to the old one, whose words
  // every mistake of the request then has. Values as deep are always a mistake.
  if (!parsed && call.wording.layer == Layer::Enveloped &&
      is_deeper_than(body, kNewLayerDepthMax)) {
    call.wording.layer = Layer::Classic;
    parsed = call.operation->parse(body, call);
  }
  if (!parsed) return std::move(parsed).error();
  call.request = parsed->request;
  call.access = parsed->access;
  return {};
}

Engine::Reader::Reader(const Engine& engine)
    : transaction_(*engine.impl_->environment), tables_(engine.impl_->catalog) {}

// What a read sees must belong together: a table of the catalog has all its records in the
// snapshot.
//
// A batch is committed, then its catalog is published, then the next batch begins. So
//   - whoever holds catalog C gets no snapshot older than C's batch: all of C's tables are there;
//   - when C is still the latest after the snapshot was taken, the snapshot has no batch behind the
//     one whose catalog follows C. That batch may be in it (committed, not yet published), and may
//     have taken tables and indexes out, but their records are swept by later batches alone
//     (engine/maintenance/sweep.cpp): whatever C names is whole.
// A lagging state is older than the latest, so the second holds for it too. The first does not: a
// table or index made since then is empty in it, as it was; an index that became complete since
// then is not, because LaggingSnapshots::restart() ran before its catalog was published.
Result<Engine::Impl::View> Engine::Impl::view(storage::ReadTransaction& transaction,
                                              Published<Catalog>::Reader& tables,
                                              bool may_lag) const {
  for (;;) {
    View view{tables.latest(), clock.now(), nullptr};
    if (past && may_lag) {
      STATOR_TRY(view.earlier, past->find(view.now, transaction));
    } else {
      STATOR_CHECK(transaction.acquire());
    }
    if (tables.holds()) return view;
    transaction.release();
  }
}

Result<void> Engine::read(Call& call, Reader& reader) const {
  storage::ReadTransaction& transaction = reader.transaction_;
  const auto view = impl_->view(transaction, reader.tables_, !call.consistent_read);
  if (!view) {
    impl_->warnings.tell(view.error().message());
    return Error::internal_server_error();
  }
  std::unique_lock<std::mutex> one_at_a_time;
  if (view->earlier) one_at_a_time = std::unique_lock(view->earlier->mutex);
  const Snapshot snapshot(view->earlier ? view->earlier->transaction : transaction, view->catalog,
                          view->now, impl_->warnings, impl_->flights);
  Result<void> result;
  try {
    result = call.operation->read(call.request, snapshot, call);
  } catch (const storage::DamagedData& damage) {
    impl_->warnings.damage_met(call, damage);
    transaction.release();
    return Error::internal_server_error();
  }
  transaction.release();
  if (!result && result.error().code() == ErrorCode::InternalServerError) {
    impl_->warnings.tell(result.error().message());  // the storage's words are for the log
    return Error::internal_server_error();
  }
  return result;
}

storage::CommitQueue& Engine::commit_queue() { return impl_->queue; }

// What happens to a write, unless it is a transaction that takes its time: then its items are held
// from the first run on, and the second one, when the time has come, is what counts.
Result<void> WriteJob::run(storage::WriteTransaction& transaction) {
  Engine::Impl& engine = *engine_.impl_;
  error_.reset();
  call_.reply.clear();
  if (phase_ == Phase::Ending) {
    error_ = Error::internal_server_error();
    return {};
  }
  // It may have waited for long; the leader's time is everybody's. A flight lands in any case.
  if (phase_ != Phase::Landing) {
    phase_ = Phase::Deciding;
    if (auto wanted = call_.work.check_wanted(); !wanted) {
      error_ = std::move(wanted).error();
      return {};
    }
  }
  call_.memory.forget_refusal();
  engine.mutation.clear();
  const Timestamp now = engine.clock.now();
  STATOR_TRY(const bool is_decided, decide(transaction, now));
  if (!is_decided || takes_off(now)) return {};
  // A new index of a small table is complete with its commit, unless the user wants to see phases.
  std::optional<std::pair<std::string, std::string>> building;
  for (const Table& table : engine.mutation.tables()) {
    for (const GlobalIndex& index : table.global_indexes) {
      const bool is_new = index.space == storage::SpaceId{};
      if (is_new && index.is_backfilling(now)) building = {table.scope, table.name};
    }
  }
  STATOR_CHECK(engine.batch.apply(engine.mutation, now, transaction));
  if (!building) return {};
  const Table* table = engine.batch.catalog()->find(building->first, building->second, now);
  return engine.maintenance.begin_backfill(*table, transaction, now);
}

// Fills the mutation; false: the request is refused.
Result<bool> WriteJob::decide(storage::WriteTransaction& transaction, Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  const Snapshot snapshot(transaction, *engine.batch.catalog(), now, engine.warnings,
                          engine.flights, this);
  try {
    if (auto decided = call_.operation->write(call_.request, snapshot, engine.mutation, call_);
        !decided) {
      if (decided.error().code() == ErrorCode::InternalServerError)
        return std::move(decided).error();
      error_ = std::move(decided).error();
      return false;
    }
    call_.charge_reply();
    return true;
  } catch (const MemoryExhausted&) {
    // Nothing was written: a refusal as any other, which costs the batch nothing.
    error_ = Error::internal_server_error();
  } catch (const storage::DamagedData& damage) {
    engine.warnings.damage_met(call_, damage);
    error_ = Error::internal_server_error();
  }
  return false;
}

// Whether it is in flight from here on.
bool WriteJob::takes_off(Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  if (phase_ == Phase::Landing || engine.mutation.held().empty()) return false;
  phase_ = Phase::TakingOff;
  const Timestamp due = now.plus(engine.settings.transaction_time);
  if (!engine.flights.begin(*this, engine.mutation.held(), due))
    error_ = Error::internal_server_error();
  return true;
}

void WriteJob::done(bool committed) noexcept {
  Engine::Impl& engine = *engine_.impl_;
  if (phase_ == Phase::TakingOff && committed && !error_) {
    // It may have landed, and be gone, before this returns.
    if (const auto due = engine.flights.go_on(*this)) {
      if (engine.tell_due) engine.tell_due(*due);
      return;
    }
    error_ = Error::internal_server_error();
  }
  if (phase_ != Phase::Deciding) engine.flights.end(*this);
  if (!committed) error_ = Error::internal_server_error();
  answered();
}

void Engine::Impl::land(const std::vector<storage::CommitJob*>& jobs, WriteJob::Phase phase) {
  for (storage::CommitJob* job : jobs) {
    static_cast<WriteJob*>(job)->phase_ = phase;
    if (!queue.push(*job)) continue;
    while (queue.lead()) {
    }
  }
}

void Engine::end_flights() { impl_->land(impl_->flights.take_all(), WriteJob::Phase::Ending); }

// A clean end leaves no doubt about the time. Nothing is lost if it cannot be stored.
void Engine::Impl::keep_exact_time() {
  if (!kept_time.is_open() || !environment->why_writing_ended().empty()) return;
  WaitedJob job(
      [&](storage::WriteTransaction&) -> Result<void> {
        kept_time.end();
        return {};
      },
      /*only_shrinks=*/true);
  job.run_in(queue);
}

bool Engine::do_piece(const PieceWork& work) {
  static constexpr PieceLimits kLimits;
  WaitedJob job(
      [&](storage::WriteTransaction& transaction) {
        ChorePiece piece = impl_->maintenance.piece(transaction, impl_->clock.now(), kLimits);
        return work(piece);
      },
      /*only_shrinks=*/true);
  return job.run_in(impl_->queue);
}

bool Engine::time_moves(std::chrono::microseconds length) {
  return do_piece([&](ChorePiece& with) { return impl_->maintenance.time_moves(length, with); });
}

MaintenanceState Engine::maintain(const PieceLimits& limits) {
  const Timestamp now = impl_->clock.now();
  if (const auto landing = impl_->flights.take_due(now); !landing.empty()) {
    impl_->land(landing, WriteJob::Phase::Landing);
    // Jobs are done in turn: behind this one they have landed.
    change([](const Catalog&, Timestamp, Mutation&) {});
  }
  // The list is asked, not the store: an idle process neither reads nor writes.
  const std::optional<Chore> chore = impl_->maintenance.take(now);
  if (!chore) return impl_->state(now);
  std::optional<Timestamp> next_due;
  WaitedJob job(
      [&](storage::WriteTransaction& transaction) -> Result<void> {
        STATOR_TRY(next_due, impl_->maintenance.run_piece(*chore, transaction, now, limits));
        return {};
      },
      impl_->maintenance.only_shrinks(*chore));
  const bool is_stored = job.run_in(impl_->queue);
  if (!is_stored) next_due = now.plus(kMaintenanceRetry);
  if (next_due) impl_->maintenance.put_back(*chore, *next_due);
  MaintenanceState left = impl_->state(now);
  left.could_not_store = !is_stored;
  return left;
}

// Streams that are only described begin. With a delay, active indexes follow late from now on.
// Without one they equal their tables: what a process with a delay left is done at once.
bool Engine::set_delays() {
  const auto run = [&](const WaitedJob::Work& work) {
    WaitedJob job(work);
    return job.run_in(impl_->queue);
  };
  const bool is_delayed = impl_->settings.gsi_delay.count() > 0;
  const auto begin = [&](storage::WriteTransaction& transaction) {
    return impl_->batch.begin_following(impl_->clock.now(), impl_->mutation.random(), transaction);
  };
  if ((is_delayed || impl_->batch.has_unopened_streams()) && !run(begin)) return false;
  if (is_delayed) return true;
  while (impl_->batch.consumers().any_late_index()) {
    const bool is_stored = run([&](storage::WriteTransaction& transaction) -> Result<void> {
      STATOR_CHECK(impl_->maintenance.end_late_index(transaction).map([](bool) {}));
      return {};
    });
    if (!is_stored) return false;
  }
  return true;
}

void Engine::on_maintenance_due(std::function<void(Timestamp)> due) {
  impl_->tell_due = std::move(due);
}

}  // namespace stator
