#include "engine/engine.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "engine/batch_state.h"
#include "engine/mutation.h"
#include "engine/snapshot.h"

namespace stator {
namespace {

using storage::Database;

// Items removed by one job of a sweep: bounds how long others wait for it.
constexpr std::size_t kSweepRecordsMax = 2000;
constexpr std::size_t kHintsMax = 1000;

}  // namespace

void Call::reset() {
  constexpr std::size_t kReplyBytesKept = 64 * 1024;
  arena.reset();
  caller = {};
  operation = nullptr;
  wording = {};
  request = nullptr;
  reply.clear();
  if (reply.capacity() > kReplyBytesKept) reply.shrink_to_fit();
  table_name = {};
  units_milli = 0;
}

// Listens to the commit queue and to missing tables; holds everything the engine owns.
struct Engine::Impl final : storage::BatchObserver, MissingTableListener {
  Impl(const Settings& settings_, const Clock& clock_, Random& random_, Warn warn_,
       std::unique_ptr<storage::Environment> environment_, std::shared_ptr<const Catalog> tables)
      : settings(settings_),
        clock(clock_),
        warn(std::move(warn_)),
        environment(std::move(environment_)),
        catalog(tables),
        batch(std::move(tables)),
        mutation(random_),
        queue(*environment, *this, leader_for(*environment, settings_)) {}

  static storage::CommitQueue::Leader leader_for(const storage::Environment& environment,
                                                 const Settings& settings) {
    const bool waits_for_disk =
        !environment.in_memory() && settings.storage.sync == storage::Sync::Commit;
    return waits_for_disk ? storage::CommitQueue::Leader::Thread
                          : storage::CommitQueue::Leader::Caller;
  }

  Result<void> before_commit(storage::WriteTransaction& transaction) override {
    return batch.before_commit(transaction);
  }

  void batch_ended(const Error* failure) noexcept override {
    if (batch.end(failure == nullptr)) catalog.store(batch.catalog());
    if (failure != nullptr) warn("writes could not be stored: " + failure->message());
  }

  void table_missing(const Catalog& tables, std::string_view scope, std::string_view name) override;

  const Settings& settings;
  const Clock& clock;
  Warn warn;
  std::unique_ptr<storage::Environment> environment;
  std::atomic<std::shared_ptr<const Catalog>> catalog;

  // The leader's.
  BatchState batch;
  Mutation mutation;

  std::mutex hints_mutex;
  std::set<std::string> hints_given;

  storage::CommitQueue queue;  // last: its thread uses the rest
};

// One warning for each name, when another scope has a table of that name: the usual mistake in
// local development is a wrong Region.
void Engine::Impl::table_missing(const Catalog& tables, std::string_view scope,
                                 std::string_view name) {
  std::string others;
  for (const auto& [other_scope, names] : tables.scopes()) {
    if (other_scope == scope || names.find(name) == names.end()) continue;
    if (!others.empty()) others += ", ";
    others += other_scope;
  }
  if (others.empty()) return;
  const std::string hint = std::string(scope) + '\n' + std::string(name);
  {
    const std::lock_guard lock(hints_mutex);
    if (hints_given.size() >= kHintsMax || !hints_given.insert(hint).second) return;
  }
  const std::string_view what =
      settings.isolation == Isolation::Key ? "access key and Region" : "Region";
  warn("table '" + std::string(name) + "' not found for " + std::string(what) + " '" +
       std::string(scope) + "', but it exists for: " + others);
}

namespace {

// All tables on disk; a damaged one refuses the start rather than hiding a table.
tl::expected<std::shared_ptr<const Catalog>, std::string> load_catalog(
    const storage::Environment& environment) {
  storage::ReadTransaction transaction(environment);
  const auto failed = [](const Error& error) {
    return tl::unexpected("cannot read the tables: " + error.message());
  };
  if (auto acquired = transaction.acquire(); !acquired) return failed(acquired.error());
  auto catalog = std::make_shared<Catalog>();
  std::string after;
  for (;;) {
    auto record = transaction.seek(Database::Tables, after, /*after=*/!after.empty());
    if (!record) return failed(record.error());
    if (!*record) return catalog;
    after = (*record)->key;
    auto table = decode_table(std::string((*record)->value));
    if (!table)
      return tl::unexpected(
          std::string("the data folder is damaged: a table's description cannot be read"));
    catalog->insert(std::make_shared<const Table>(std::move(*table)));
  }
}

}  // namespace

tl::expected<std::unique_ptr<Engine>, std::string> Engine::open(const Settings& settings,
                                                                const Clock& clock, Random& random,
                                                                Warn warn) {
  auto environment = storage::Environment::open(settings.storage);
  if (!environment) return tl::unexpected(environment.error());
  auto catalog = load_catalog(**environment);
  if (!catalog) return tl::unexpected(catalog.error());
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Impl>(
      settings, clock, random, std::move(warn), std::move(*environment), std::move(*catalog))));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() { impl_->queue.stop(); }

Result<void> Engine::parse(const JsonNode& body, Call& call) const {
  call.settings = &impl_->settings;
  call.wording = Wording::of(impl_->settings.error_wording, call.operation->layer);
  STATOR_TRY(call.request, call.operation->parse(body, call));
  return {};
}

Result<void> Engine::read(Call& call, storage::ReadTransaction& transaction) const {
  // The catalog first: a table in it exists in every later snapshot, unless it was deleted
  // meanwhile.
  const std::shared_ptr<const Catalog> catalog = impl_->catalog.load();
  if (auto acquired = transaction.acquire(); !acquired) {
    impl_->warn(acquired.error().message());
    return Error::internal_server_error();
  }
  const Snapshot snapshot(transaction, *catalog, impl_->clock.now(), *impl_);
  auto result = call.operation->read(call.request, snapshot, call);
  transaction.release();
  if (!result && result.error().code() == ErrorCode::InternalServerError) {
    impl_->warn(result.error().message());  // the storage's words are for the log
    return Error::internal_server_error();
  }
  return result;
}

const storage::Environment& Engine::environment() const { return *impl_->environment; }

storage::CommitQueue& Engine::commit_queue() { return impl_->queue; }

Result<void> WriteJob::run(storage::WriteTransaction& transaction) {
  Engine::Impl& engine = *engine_.impl_;
  error_.reset();
  call_.reply.clear();
  engine.mutation.clear();
  const Snapshot snapshot(transaction, *engine.batch.catalog(), engine.clock.now(), engine);
  if (auto decided = call_.operation->write(call_.request, snapshot, engine.mutation, call_);
      !decided) {
    if (decided.error().code() == ErrorCode::InternalServerError) return std::move(decided).error();
    error_ = std::move(decided).error();
    return {};
  }
  return engine.batch.apply(engine.mutation, transaction);
}

std::optional<Error>& WriteJob::outcome(bool committed) {
  if (!committed) error_ = Error::internal_server_error();
  return error_;
}

namespace {

// Removes a piece of one deleted space, and tables whose time in DELETING is over.
class SweepJob final : public storage::CommitJob {
 public:
  SweepJob(BatchState& batch, Mutation& mutation, Timestamp now)
      : batch_(batch), mutation_(mutation), now_(now) {}

  Result<void> run(storage::WriteTransaction& transaction) override {
    more_ = false;
    mutation_.clear();
    for (const auto& [scope, names] : batch_.catalog()->scopes()) {
      for (const auto& [name, table] : names) {
        if (table->status(now_) == TableStatus::Gone) mutation_.erase_table(*table);
      }
    }
    STATOR_CHECK(batch_.apply(mutation_, transaction));
    return sweep_space(transaction);
  }

  void done(bool committed) noexcept override {
    const std::lock_guard lock(mutex_);
    more_ = more_ && committed;
    is_done_ = true;
    done_.notify_one();
  }

  // Blocks until done(); returns whether more is left.
  bool wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return is_done_; });
    return more_;
  }

 private:
  Result<void> sweep_space(storage::WriteTransaction& transaction) {
    STATOR_TRY(const auto purge, transaction.seek(Database::Purges, {}));
    if (!purge) return {};
    more_ = true;
    const std::string key(purge->key);
    std::uint32_t number = 0;
    for (const char byte : key) number = (number << 8) | static_cast<unsigned char>(byte);
    const storage::SpaceId space{number};
    STATOR_TRY(const bool is_empty, storage::erase_some(transaction, space, kSweepRecordsMax));
    if (!is_empty) return {};
    STATOR_TRY(const bool no_collections, sweep_collections(transaction, key));
    if (!no_collections) return {};
    STATOR_CHECK(transaction.erase(Database::Purges, key).map([](bool) {}));
    return {};
  }

  // Collections are keyed by space first.
  static Result<bool> sweep_collections(storage::WriteTransaction& transaction,
                                        const std::string& space_key) {
    for (std::size_t i = 0; i < kSweepRecordsMax; ++i) {
      STATOR_TRY(const auto record, transaction.seek(Database::Collections, space_key));
      if (!record || !record->key.starts_with(space_key)) return true;
      const std::string key(record->key);
      STATOR_CHECK(transaction.erase(Database::Collections, key).map([](bool) {}));
    }
    return false;
  }

  BatchState& batch_;
  Mutation& mutation_;
  Timestamp now_;
  bool more_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
};

}  // namespace

bool Engine::sweep() {
  // Looking first keeps an idle process from writing.
  {
    const std::shared_ptr<const Catalog> catalog = impl_->catalog.load();
    storage::ReadTransaction transaction(*impl_->environment);
    if (!transaction.acquire()) return false;
    const auto purge = transaction.seek(Database::Purges, {});
    bool is_due = purge && *purge;
    for (const auto& [scope, names] : catalog->scopes()) {
      for (const auto& [name, table] : names)
        is_due |= table->status(impl_->clock.now()) == TableStatus::Gone;
    }
    if (!is_due) return false;
  }
  SweepJob job(impl_->batch, impl_->mutation, impl_->clock.now());
  if (impl_->queue.push(job)) {
    while (impl_->queue.lead()) {
    }
  }
  return job.wait();
}

}  // namespace stator
