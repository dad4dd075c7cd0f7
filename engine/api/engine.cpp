#include "engine/api/engine.h"

#include <mutex>
#include <thread>
#include <utility>

#include "engine/api/engine_impl.h"
#include "engine/catalog/loading.h"
#include "engine/data_folder/data_folder.h"
#include "engine/maintenance/size_split.h"
#include "engine/state/throughput.h"
#include "engine/storage/migration/open_store.h"
#include "protocol/json/json_reader.h"

namespace stator {
namespace {

using storage::BlockingJob;

// Depth of the whole body; leaves 61 maps around a value of an item.
constexpr std::size_t kNewLayerDepthMax = 125;
// From this difference on, data ahead of the clock is logged.
constexpr std::chrono::seconds kAheadOfClockMax{1};
// Chores whose pieces share a commit, and how many run alone after a failure.
constexpr std::size_t kChoresTogetherMax = 16;

// Refunds the charges of a call that ends without an outcome, such as by an exception.
class ChargeGuard {
 public:
  explicit ChargeGuard(Call& call) : call_(call) {}
  ~ChargeGuard() { call_.charging.undo(); }
  ChargeGuard(const ChargeGuard&) = delete;
  ChargeGuard& operator=(const ChargeGuard&) = delete;

 private:
  Call& call_;
};

}  // namespace

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
         " and is being migrated to this program's");
  };
  if (const auto foreign =
          options.folder ? find_foreign_data(*options.folder) : std::optional<std::string>()) {
    warn("the data folder is DynamoDB Local's, whose " + *foreign +
         " is not read: stator copy moves its tables");
  }
  auto environment = storage::open_store(options);
  if (!environment) return tl::unexpected(environment.error());
  auto catalog = load_catalog(**environment);
  if (!catalog) return tl::unexpected(catalog.error());
  auto consumers = load_consumers(**environment);
  if (!consumers) return tl::unexpected(consumers.error());
  const auto not_before = load_time(**environment, **catalog);
  if (!not_before) return tl::unexpected(not_before.error());
  const auto kept_clock = PersistedClock::load(**environment);
  if (!kept_clock) return tl::unexpected(kept_clock.error().message());
  if (movable != nullptr) put_in_place(*movable, *kept_clock, settings.clock, *not_before);
  if (const Timestamp now = clock.now(); *not_before > now.plus(kAheadOfClockMax)) {
    warn("the data was written by a clock " + std::to_string(not_before->unix_s() - now.unix_s()) +
         " s ahead of the system's clock; time continues from there");
  }
  std::unique_ptr<Engine> engine;
  bool has_other_delays = false;
  {
    const storage::Leading before_all_jobs;
    auto impl =
        std::make_unique<Impl>(settings, clock, *not_before, random, std::move(warn),
                               std::move(*environment), std::move(*catalog), std::move(*consumers));
    impl->movable = movable;
    engine = std::unique_ptr<Engine>(new Engine(std::move(impl)));
    const auto begun = engine->impl_->begin(*not_before, *kept_clock);
    if (!begun) return tl::unexpected(begun.error());
    has_other_delays = *begun;
  }
  if (has_other_delays && !engine->set_delays())
    return tl::unexpected(std::string("cannot store the consumers of the journals"));
  const storage::Leading between_jobs;
  if (auto found = engine->impl_->find_chores(); !found)
    return tl::unexpected("cannot read the pending background jobs: " + found.error().message());
  return engine;
}

tl::expected<bool, std::string> Engine::Impl::begin(Timestamp before,
                                                    const std::optional<ClockPace>& kept) {
  if (auto loaded = load_throughput(before); !loaded)
    return tl::unexpected("cannot read the throughput of tables: " + loaded.error().message());
  leader->kept_clock.begin(kept);
  storage::ReadTransaction transaction(*environment);
  const auto look = [&]() -> Result<bool> {
    STATOR_CHECK(transaction.acquire());
    return has_other_delays(transaction);
  };
  const auto has_others = look();
  if (!has_others) return tl::unexpected(std::string("cannot read who follows the tables"));
  return *has_others;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() {
  impl_->throttle_log.log_summary(impl_->clock.now());
  if (!impl_->environment->in_memory() && impl_->environment->why_writing_ended().empty())
    impl_->throughput_keeper.keep_all(impl_->clock.now(), impl_->queue);
  impl_->keep_exact_time();
  impl_->queue.stop();
}

const Clock& Engine::clock() const { return impl_->clock; }

Result<void> Engine::parse(const JsonNode& body, Call& call) const {
  call.settings = call.settings_of_account != nullptr ? call.settings_of_account : &impl_->settings;
  call.wording = Wording::of(impl_->settings.error_wording, call.operation->layer);
  call.expressions = &impl_->expressions;
  call.statements = &impl_->statements;
  auto parsed = call.operation->parse(body, call);
  // The service's new layer passes a body that is too deep for its parser to the old layer, whose
  // error texts then apply to the whole request. Values of such depth are always an error.
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
    : impl_(std::make_unique<Impl>(*engine.impl_->environment, engine.impl_->catalog)) {}
Engine::Reader::~Reader() = default;
void Engine::Reader::release() { impl_->transaction.release(); }

// Returns a consistent view: all records of the catalog's tables are in the snapshot.
//
// A batch commits, then publishes its catalog, then the next batch begins. So
//   - a snapshot taken after catalog C was read includes C's batch: all of C's tables are there;
//   - if C is still the latest after the snapshot was taken, the snapshot includes at most one
//   later batch (committed, not yet published). That batch may have removed tables and indexes, but
//   only later batches sweep their records (engine/maintenance/chores/sweep.cpp): whatever C names
//   is complete.
// A lagging snapshot is older than the latest one, so the second point holds for it too, but the
// first does not. A table or index created since then is empty in it, as it was. An index that
// became complete since then cannot occur, because LaggingSnapshots::restart() ran before its
// catalog was published.
Result<Engine::Impl::View> Engine::Impl::view(storage::ReadTransaction& transaction,
                                              Published<Catalog>::Reader& tables,
                                              std::chrono::microseconds age) const {
  for (;;) {
    View view{tables.latest(), clock.now(), nullptr};
    if (age.count() > 0) {
      STATOR_TRY(view.earlier, past.find(view.now, age, transaction));
    } else {
      STATOR_CHECK(transaction.acquire());
    }
    // A batch that rolls back to a mark removes what catalog C names, so do not combine C with it.
    // Read this before holds(): C is replaced before this returns to zero.
    const std::uint64_t goes_back = goes_back_with;
    const bool is_behind = goes_back != 0 && !view.earlier && transaction.id() >= goes_back;
    if (tables.holds() && !is_behind) return view;
    transaction.release();
    if (is_behind) std::this_thread::yield();
  }
}

Result<void> Engine::read(Call& call, Reader& reader) const {
  storage::ReadTransaction& transaction = reader.impl_->transaction;
  const auto view = impl_->view(transaction, reader.impl_->tables, impl_->age_for(call));
  if (!view) {
    impl_->warnings.tell(view.error().message());
    return Error::internal_server_error();
  }
  std::unique_lock<std::mutex> one_at_a_time;
  if (view->earlier) one_at_a_time = std::unique_lock(view->earlier->mutex);
  const Snapshot snapshot(view->earlier ? view->earlier->transaction : transaction, view->catalog,
                          view->now, impl_->warnings, impl_->flights);
  call.walked = {};  // a read may run a second time
  call.undone = {};
  Result<void> result;
  const ChargeGuard unless_settled(call);
  try {
    result = call.operation->read(call.request, snapshot, call);
  } catch (const storage::DamagedData& damage) {
    impl_->warnings.damage_met(call, damage);
    transaction.release();
    return Error::internal_server_error();
  }
  impl_->settle(call, result ? nullptr : &result.error());
  transaction.release();
  if (!result && result.error().code() == ErrorCode::InternalServerError) {
    impl_->warnings.tell(result.error().message());  // the details are for the log only
    return Error::internal_server_error();
  }
  return result;
}

Result<void> Engine::look(Reader& reader, const Look& look) const {
  storage::ReadTransaction& transaction = reader.impl_->transaction;
  STATOR_TRY(const auto view,
             impl_->view(transaction, reader.impl_->tables, std::chrono::microseconds{0}));
  const Snapshot snapshot(transaction, view.catalog, view.now, impl_->warnings, impl_->flights);
  Result<void> result;
  try {
    result = look(snapshot);
  } catch (const storage::DamagedData& damage) {
    result = Error(ErrorCode::InternalServerError, damage.what());
  }
  transaction.release();
  return result;
}

void Engine::retain_states(std::chrono::microseconds age) {
  impl_->past.retain_for(age, impl_->clock.now());
}

bool Engine::push(WriteJob& job) { return impl_->queue.push(job); }
bool Engine::lead() { return impl_->queue.lead(); }
Engine::LeadOutcome Engine::lead_short_jobs() { return impl_->queue.lead_short_jobs(); }
Engine::CommitCounters Engine::commit_counters() const { return impl_->queue.counters(); }

// `before` is the time of the last commit.
Result<void> Engine::Impl::load_throughput(Timestamp before) {
  leader->batch.set_throughput_watcher(throughput_keeper);
  if (environment->in_memory()) {
    throughput_keeper.store_nothing();
    return {};
  }
  if (!leader->batch.counts_throughput()) return {};
  storage::ReadTransaction transaction(*environment);
  STATOR_CHECK(transaction.acquire());
  Result<void> result;
  leader->batch.catalog()->for_each([&](const Table& table) {
    if (!result) return;
    result = stator::load_throughput(table, transaction, leader->settings, before, clock.now(),
                                     &throughput_keeper);
  });
  return result;
}

// Runs after the commit. Ignores read errors, which the next reader will report.
void Engine::Impl::split_for_size(const std::vector<OversizedPartition>& oversized) noexcept {
  try {
    storage::ReadTransaction transaction(*environment);
    if (!transaction.acquire()) return;
    for (const OversizedPartition& one : oversized) {
      if (!stator::split_for_size(one, *leader->batch.catalog(), transaction, clock.now())) return;
    }
  } catch (const std::exception& error) {
    warnings.tell(error.what());
  }
}

bool Engine::persist_throughput() {
  const Timestamp now = impl_->clock.now();
  bool is_kept = true;
  for (auto due = impl_->throughput_keeper.next_due(); is_kept && due && *due <= now;
       due = impl_->throughput_keeper.next_due())
    is_kept = impl_->throughput_keeper.look_at_due(now, impl_->queue);
  return is_kept;
}

// After a clean shutdown the exact time is known. A failure to store it loses nothing.
void Engine::Impl::keep_exact_time() {
  const bool is_open = [&] {
    const storage::Leading behind_all_calls;
    return leader->kept_time.is_open();
  }();
  if (!is_open || !environment->why_writing_ended().empty()) return;
  BlockingJob job(
      [&](storage::WriteTransaction&) -> Result<void> {
        leader->kept_time.end();
        return {};
      },
      /*only_frees_space=*/true);
  job.run_in(queue);
}

bool Engine::commit_piece(const PieceWork& work, bool only_frees_space) {
  static constexpr PieceLimits kLimits;
  BlockingJob job(
      [&](storage::WriteTransaction& transaction) {
        ChorePiece piece = impl_->maintenance.piece(transaction, impl_->clock.now(), kLimits);
        return work(piece);
      },
      only_frees_space, /*is_long=*/true);
  return job.run_in(impl_->queue);
}

bool Engine::change(const Decide& decide) {
  return commit_piece([&](ChorePiece& piece) {
    decide(piece.catalog(), piece.now, piece.mutation);
    return piece.apply();
  });
}

bool Engine::on_clock_move(std::chrono::microseconds length) {
  return commit_piece(
      [&](ChorePiece& with) { return impl_->maintenance.on_clock_move(length, with); });
}

void Engine::begin_round() {
  const Timestamp now = impl_->clock.now();
  impl_->maintenance.begin_round(now);
  impl_->throughput_keeper.begin_round(now);
}

MaintenanceState Engine::maintain() { return maintain(PieceLimits()); }

MaintenanceState Engine::maintain(const PieceLimits& limits) { return maintain(limits, 1); }

MaintenanceState Engine::maintain_together() {
  if (impl_->chores_alone > 0) {
    --impl_->chores_alone;
    return maintain(PieceLimits(), 1);
  }
  return maintain(PieceLimits(), kChoresTogetherMax);
}

MaintenanceState Engine::maintain(const PieceLimits& limits, std::size_t chores_max) {
  const Timestamp now = impl_->clock.now();
  if (const auto landing = impl_->flights.take_due(now); !landing.empty()) {
    impl_->land(landing, WriteJob::Phase::Committing);
    // Jobs run in order, so the transactions have committed when this one has.
    change([](const Catalog&, Timestamp, Mutation&) {});
  }
  impl_->throttle_log.log_due(now);
  const bool has_room =
      !impl_->must_give_up_marks.exchange(false) || commit_piece([this](ChorePiece& piece) {
        return impl_->give_up_marks(piece.transaction, "the store is full");
      });
  const bool is_throughput_kept = impl_->throughput_keeper.look_at_due(now, impl_->queue);
  // Checks the list in memory, not the store, so an idle process neither reads nor writes.
  const bool is_stored = run_chores(impl_->maintenance.take(now, chores_max), now, limits);
  MaintenanceState left = impl_->state(now);
  left.could_not_store = !is_stored || !is_throughput_kept || !has_room;
  return left;
}

// Of copies once, because each of their pieces may wait.
void Engine::Impl::log_work(const Engine& engine, const Chore& chore, const std::string& does) {
  Reader reader(engine);
  static_cast<void>(engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(const std::string work, maintenance.work_of(chore, snapshot));
    if (work.empty()) return {};
    if (maintenance.has_frugal_pieces(chore)) {
      warnings.tell(work + does);
    } else {
      warnings.warn_once(work + does);
    }
    return {};
  }));
}

// Runs a piece of each in one commit. Returns whether it was stored, or goes on without room.
bool Engine::run_chores(const std::vector<Chore>& chores, Timestamp now,
                        const PieceLimits& limits) {
  if (chores.empty()) return true;
  Maintenance& maintenance = impl_->maintenance;
  const PieceLimits shared = limits.shared_by(chores.size());
  const bool is_frugal = chores.size() == 1 && maintenance.is_frugal(chores.front());
  std::vector<std::optional<Timestamp>> next_due(chores.size());
  const auto run_all = [&](storage::WriteTransaction& transaction) -> Result<void> {
    for (std::size_t i = 0; i < chores.size(); ++i) {
      STATOR_TRY(next_due[i],
                 maintenance.run_piece(chores[i], transaction, now, shared, is_frugal));
    }
    return {};
  };
  const bool uses_reserve = is_frugal || maintenance.only_frees_space(chores.front());
  BlockingJob job(run_all, uses_reserve, /*is_long=*/true);
  const std::uint64_t room_returns = maintenance.room_returns();
  if (job.run_in(impl_->queue)) {
    for (std::size_t i = 0; i < chores.size(); ++i) {
      if (maintenance.piece_stored(chores[i], next_due[i], now))
        impl_->log_work(*this, chores[i], " goes on: it has all changes that are due");
    }
    return true;
  }
  using AfterFailure = Maintenance::AfterFailure;
  AfterFailure after{};
  bool all_go_on = true;
  for (const Chore& chore : chores) {
    after = maintenance.piece_failed(chore, is_frugal, now, room_returns);
    all_go_on = all_go_on && after == AfterFailure::GoesOn;
  }
  if (chores.size() > 1) {
    // Which of them found no room shows when they run alone.
    impl_->chores_alone = kChoresTogetherMax;
  } else if (after == AfterFailure::BeginsToWait) {
    impl_->log_work(*this, chores.front(),
                    " waits for room: the data folder or store is full, or cannot be written; "
                    "DeleteTable and DeleteBackup free space");
  }
  return all_go_on;
}

void Engine::on_job_ready(std::function<void()> ready) { impl_->job_ready = std::move(ready); }

void Engine::on_journal_growth(std::function<void(bool went_back)> grew) {
  impl_->journal_grew = std::move(grew);
}
void Engine::on_kinesis_work(std::function<void()> work) { impl_->kinesis_work = std::move(work); }

void Engine::on_maintenance_due(std::function<void(Timestamp)> due) {
  impl_->log_due = std::move(due);
}

}  // namespace stator
