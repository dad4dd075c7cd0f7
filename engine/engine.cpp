#include "engine/engine.h"

#include <mutex>
#include <thread>
#include <utility>

#include "engine/data_folder.h"
#include "engine/engine_impl.h"
#include "engine/size_split.h"
#include "engine/state/loading.h"
#include "engine/state/throughput.h"
#include "engine/storage/stream_store.h"
#include "protocol/json_reader.h"

namespace stator {
namespace {

using storage::WaitedJob;

// Of the whole body: 61 maps around a value of an item.
constexpr std::size_t kNewLayerDepthMax = 125;
// Data that is further ahead of the clock is worth a line in the log.
constexpr std::chrono::seconds kAheadOfClockMax{1};

// Whatever ends a call without an outcome, an exception too, leaves nothing taken.
class UndoneCharges {
 public:
  explicit UndoneCharges(Call& call) : call_(call) {}
  ~UndoneCharges() { call_.charging.undo(); }
  UndoneCharges(const UndoneCharges&) = delete;
  UndoneCharges& operator=(const UndoneCharges&) = delete;

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
         " and is rewritten for this one");
  };
  if (const auto foreign =
          options.folder ? find_foreign_data(*options.folder) : std::optional<std::string>()) {
    warn("the data folder is DynamoDB Local's, whose " + *foreign +
         " is not read: stator copy moves its tables");
  }
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
  if (auto loaded = engine->impl_->load_throughput(*not_before); !loaded)
    return tl::unexpected("cannot read what tables can serve: " + loaded.error().message());
  engine->impl_->kept_clock.begin(*kept_clock);
  if (!engine->set_delays())
    return tl::unexpected(std::string("cannot store who follows the tables"));
  if (auto found = engine->impl_->find_chores(); !found)
    return tl::unexpected("cannot read what is left to do: " + found.error().message());
  return engine;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() {
  impl_->throttle_log.tell_summary(impl_->clock.now());
  if (!impl_->environment->in_memory() && impl_->environment->why_writing_ended().empty())
    impl_->throughput_keeper.keep_all(impl_->clock.now(), impl_->queue);
  impl_->keep_exact_time();
  impl_->queue.stop();
}

const Clock& Engine::clock() const { return impl_->clock; }

Result<void> Engine::parse(const JsonNode& body, Call& call) const {
  call.settings = &impl_->settings;
  call.wording = Wording::of(impl_->settings.error_wording, call.operation->layer);
  call.expressions = &impl_->expressions;
  call.statements = &impl_->statements;
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
    // The batch that goes back to a mark takes away what catalog C names, so C must not be read
    // with it. Asked before holds(): C is replaced before this is zero again.
    const std::uint64_t goes_back = goes_back_with;
    const bool is_behind = goes_back != 0 && !view.earlier && transaction.id() >= goes_back;
    if (tables.holds() && !is_behind) return view;
    transaction.release();
    if (is_behind) std::this_thread::yield();
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
  call.walked = {};  // it may be tried a second time
  call.undone = {};
  Result<void> result;
  const UndoneCharges unless_settled(call);
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
    impl_->warnings.tell(result.error().message());  // the storage's words are for the log
    return Error::internal_server_error();
  }
  return result;
}

Result<void> Engine::look(Reader& reader, const Look& look) const {
  storage::ReadTransaction& transaction = reader.transaction_;
  STATOR_TRY(const auto view, impl_->view(transaction, reader.tables_, /*may_lag=*/false));
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

storage::CommitQueue& Engine::commit_queue() { return impl_->queue; }
const storage::CommitQueue& Engine::commit_queue() const { return impl_->queue; }

// `before`: the time of the last commit.
Result<void> Engine::Impl::load_throughput(Timestamp before) {
  batch.set_throughput_watcher(throughput_keeper);
  if (environment->in_memory()) {
    throughput_keeper.store_nothing();
    return {};
  }
  storage::ReadTransaction transaction(*environment);
  STATOR_CHECK(transaction.acquire());
  Result<void> result;
  batch.catalog()->for_each([&](const Table& table) {
    if (!result) return;
    result = stator::load_throughput(table, transaction, settings, before, clock.now(),
                                     &throughput_keeper);
  });
  return result;
}

// Behind the commit; what cannot be read is met by whoever asks for it, too.
void Engine::Impl::split_for_size(const std::vector<OversizedPartition>& oversized) noexcept {
  try {
    storage::ReadTransaction transaction(*environment);
    if (!transaction.acquire()) return;
    for (const OversizedPartition& one : oversized) {
      if (!stator::split_for_size(one, *batch.catalog(), transaction, clock.now())) return;
    }
  } catch (const std::exception& error) {
    warnings.tell(error.what());
  }
}

bool Engine::keep_throughput() {
  const Timestamp now = impl_->clock.now();
  bool is_kept = true;
  for (auto due = impl_->throughput_keeper.next_due(); is_kept && due && *due <= now;
       due = impl_->throughput_keeper.next_due())
    is_kept = impl_->throughput_keeper.look_at_due(now, impl_->queue);
  return is_kept;
}

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
  impl_->throttle_log.tell_due(now);
  const bool has_room =
      !impl_->must_give_up_marks.exchange(false) || do_piece([this](ChorePiece& piece) {
        return impl_->give_up_marks(piece.transaction, "the store is full");
      });
  const bool is_throughput_kept = impl_->throughput_keeper.look_at_due(now, impl_->queue);
  // The list is asked, not the store: an idle process neither reads nor writes.
  const std::optional<Chore> chore = impl_->maintenance.take(now);
  if (!chore) {
    MaintenanceState left = impl_->state(now);
    left.could_not_store = !is_throughput_kept || !has_room;
    return left;
  }
  std::optional<Timestamp> next_due;
  WaitedJob job(
      [&](storage::WriteTransaction& transaction) -> Result<void> {
        STATOR_TRY(next_due, impl_->maintenance.run_piece(*chore, transaction, now, limits));
        return {};
      },
      impl_->maintenance.only_shrinks(*chore));
  const std::uint64_t room_returns = impl_->maintenance.room_returns();
  const bool is_stored = job.run_in(impl_->queue);
  if (is_stored) impl_->maintenance.piece_stored(*chore, next_due);
  if (!is_stored) impl_->maintenance.piece_failed(*chore, now, room_returns);
  MaintenanceState left = impl_->state(now);
  left.could_not_store = !is_stored || !is_throughput_kept || !has_room;
  return left;
}

// Data that an earlier program wrote may have tables and no secret.
Result<bool> Engine::Impl::lacks_client_secret() const {
  bool has_tables = false;
  batch.catalog()->for_each([&](const Table& /*table*/) { has_tables = true; });
  if (!has_tables) return false;
  storage::ReadTransaction transaction(*environment);
  STATOR_CHECK(transaction.acquire());
  STATOR_TRY(const auto secret, storage::stream_secret(transaction));
  return !secret;
}

// Streams that are only described begin. With a delay, active indexes follow late from now on.
// Without one they equal their tables: what a process with a delay left is done at once.
bool Engine::set_delays() {
  const auto run = [&](const WaitedJob::Work& work) {
    WaitedJob job(work);
    return job.run_in(impl_->queue);
  };
  const bool is_delayed = impl_->settings.gsi_delay.count() > 0;
  const auto lacks_secret = impl_->lacks_client_secret();
  if (!lacks_secret) return false;
  const auto begin = [&](storage::WriteTransaction& transaction) {
    return impl_->batch.begin_following(impl_->clock.now(), impl_->mutation.random(), transaction);
  };
  if ((is_delayed || *lacks_secret || impl_->batch.has_unopened_streams()) && !run(begin))
    return false;
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
