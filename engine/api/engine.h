// Engine: the tables and items of a process. A request takes three steps.
//
//   1. parse():   body -> call.request, every error that needs no stored data        (any thread)
//   2. read():    runs a Read operation on the thread's own read transaction        (any thread)
//      WriteJob:  runs a Write operation in the commit queue                          (queue's
//      leader)
//   3. the caller renders call.reply or the Error.
//
// Other layers see of the engine only this, control.h, operation_table.h, table_view.h and
// stream_reader.h (PUBLIC in tests/checks/source_rules.py). So it includes no header of storage,
// catalog or state, and a change of those recompiles no file of the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/maintenance/chores/maintenance_state.h"
#include "engine/reports/warn.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"
#include "engine/seams/random.h"
#include "engine/storage/environment/commit_queue.h"
#include "protocol/errors/error.h"
#include "protocol/errors/result.h"

namespace stator {

class Catalog;
class JsonNode;
class Mutation;
class Snapshot;
class WriteJob;
struct Chore;
struct ChorePiece;
struct LostMark;
struct NamedMark;
struct PieceLimits;
enum class MarkOutcome : std::uint8_t;

class Engine {
 public:
  // Opens the data and its tables. `settings`, `clock` and `random` must outlive the engine. The
  // error is one line for the user.
  static tl::expected<std::unique_ptr<Engine>, std::string> open(const Settings& settings,
                                                                 const Clock& clock, Random& random,
                                                                 Warn warn) {
    return open_data(settings, clock, nullptr, random, std::move(warn));
  }
  // As above, on a clock that was not moved yet. Sets it to the time of the data or the settings
  // (engine/catalog/persisted_clock.h), and persists it with each commit.
  static tl::expected<std::unique_ptr<Engine>, std::string> open(const Settings& settings,
                                                                 MovableClock& clock,
                                                                 Random& random, Warn warn) {
    return open_data(settings, clock, &clock, random, std::move(warn));
  }
  // Stops the commit queue. REQUIRES: no call is in flight.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // REQUIRES: call.operation and call.caller are set. Sets call.settings (to those of
  // call.settings_of_account, if that is set), call.wording, call.request and call.access. `body`
  // and what it points to must outlive the call.
  Result<void> parse(const JsonNode& body, Call& call) const;

  // The engine's time. It follows the clock given to open() forward but never goes back, not even
  // after a restart.
  const Clock& clock() const;

  // A thread's read transaction and its copy of the catalog. Allocates, so a thread creates one and
  // uses it for all its requests. The engine must outlive it.
  class Reader {
   public:
    explicit Reader(const Engine& engine);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    // Releases the transaction after an exception; no-op otherwise.
    void release();

   private:
    friend class Engine;
    struct Impl;
    const std::unique_ptr<Impl> impl_;
  };

  // REQUIRES: parsed, access Read, `reader` belongs to this thread.
  Result<void> read(Call& call, Reader& reader) const;

  // Calls `look` with the latest state, for readers that are no request and so have no Call. `look`
  // copies what it needs from the snapshot. The error is from `look`, or says for an operator why
  // the data cannot be read. REQUIRES: `reader` belongs to this thread.
  using Look = std::function<Result<void>(const Snapshot& snapshot)>;
  Result<void> look(Reader& reader, const Look& look) const;

  // Retains earlier states from now on, for reads with a Call::state_age of up to this; zero: no
  // longer. Any thread.
  void retain_states(std::chrono::microseconds age);

  // Uses gsi_delay, ttl_delay, ttl_sweep_interval and throttling of `settings` from now on, until
  // the end of the process; the last is the mode of tables that have none of their own. What waits
  // already comes when the new delays say, and expired items go at once if their delay or interval
  // differs. Throttling takes effect only if it was on when the engine was opened. One call at a
  // time.
  enum class SettingsChange : std::uint8_t {
    Done,
    NotStored,    // nothing has changed
    NotFollowed,  // changed, but what waits could not be adapted: call again
  };
  [[nodiscard]] SettingsChange change_settings(const Settings& settings);

  // Aborts transactions in flight and refuses new ones. Call at the end of the process.
  void abort_in_flight();

  // The commit queue (engine/storage/environment/commit_queue.h): push() and the two ways to lead.
  [[nodiscard]] bool push(WriteJob& job);
  using LeadOutcome = storage::CommitQueue::Left;
  [[nodiscard]] bool lead();
  [[nodiscard]] LeadOutcome lead_short_jobs();
  using CommitCounters = storage::CommitQueue::Counters;
  CommitCounters commit_counters() const;

  // Fills `mutation` with a change that no request asks for, given the tables at `now`. It must not
  // need much space. May be called twice.
  using Decide = std::function<void(const Catalog& catalog, Timestamp now, Mutation& mutation)>;
  // Commits one change through the queue; returns whether it was committed. The commit also
  // persists a movable clock, so an empty change persists that alone.
  bool change(const Decide& decide);

  // As above, for a piece of a chore that runs on request instead of when due. May be called twice,
  // too. `only_frees_space`: it needs not much space, and so runs in a full store as well.
  using PieceWork = std::function<Result<void>(ChorePiece& piece)>;
  bool commit_piece(const PieceWork& work, bool only_frees_space = true);

  // Does one piece of the chores that are due (engine/maintenance/maintenance.h) and returns what
  // remains. Runs as a job of the commit queue and waits for it, so use a thread of its own. Call
  // again while something is due, and at next_due.
  MaintenanceState maintain();
  MaintenanceState maintain(const PieceLimits& limits);
  // As above, with pieces of several chores in one commit, which share the limits: beside many
  // writers that create and drop tables, a commit for each could not keep up. A chore whose piece
  // fails is retried alone.
  MaintenanceState maintain_together();

  // Begins a round: all chores that are due now, and what they leave to do. `is_round_open` of
  // maintain() says whether some of it is left. Unlike `is_due`, it ends beside writes of others,
  // which make new chores due all the time.
  void begin_round();

  // Prepares chores for a clock move by `length`, or with zero completes it
  // (ChoreKind::on_clock_move()). Waits for a commit; returns whether it succeeded.
  bool on_clock_move(std::chrono::microseconds length);

  // Sets a mark with a name that is_mark_name(). It replaces a mark of the same name.
  MarkOutcome set_mark(const std::string& name);
  // Restores the state of the mark and drops later marks; the mark itself stays. Also turns the
  // clock back if it was moved since. Takes about as long as the changes since the mark did.
  // REQUIRES: no other thread moves the clock or calls maintain() meanwhile.
  MarkOutcome roll_back(const std::string& name);
  // Forgetting the last mark also frees what it retained. Forgets a lost mark, too.
  MarkOutcome forget_mark(const std::string& name);
  // In the order of their creation.
  Result<std::vector<NamedMark>> marks() const;
  // Those of this process, the newest kMarksMax, until their names are used again or forgotten.
  std::vector<LostMark> lost_marks() const;

  // Persists unsaved changes in tables' throughput (ThroughputState) and waits for that. Returns
  // whether this was committed.
  bool persist_throughput();

  // `ready` is called, from any thread, when a commit made a job ready that the server runs, or may
  // have brought one back: an export whose items are complete (engine/api/ready_exports.h).
  // REQUIRES: no call is in flight.
  void on_job_ready(std::function<void()> ready);

  // `grew` is called, from any thread, when a commit added records to a journal, or changed tables
  // or their streams; `went_back`: it rolled back to a mark. It must return at once. REQUIRES: no
  // call is in flight.
  void on_journal_growth(std::function<void(bool went_back)> grew);

  // `work` is called, from any thread, when a commit has changed a table's Kinesis destinations or
  // items of a table that has some, or may have brought them back (engine/outbox/kinesis_queue.h).
  // REQUIRES: no call is in flight.
  void on_kinesis_work(std::function<void()> work);

  // When a commit schedules a chore, calls `due` with its time, from any thread. REQUIRES: no call
  // is in flight.
  void on_maintenance_due(std::function<void(Timestamp)> due);

 private:
  friend class WriteJob;
  struct Impl;
  MaintenanceState maintain(const PieceLimits& limits, std::size_t chores_max);
  bool run_chores(const std::vector<Chore>& chores, Timestamp now, const PieceLimits& limits);
  explicit Engine(std::unique_ptr<Impl> impl);
  static tl::expected<std::unique_ptr<Engine>, std::string> open_data(const Settings& settings,
                                                                      const Clock& clock,
                                                                      MovableClock* movable,
                                                                      Random& random, Warn warn);
  static tl::expected<std::unique_ptr<Engine>, std::string> open_sound_data(
      const Settings& settings, const Clock& clock, MovableClock* movable, Random& random,
      Warn warn);
  bool set_delays();
  MarkOutcome change_marks(
      const std::function<Result<MarkOutcome>(storage::WriteTransaction&)>& work,
      bool only_frees_space);
  std::unique_ptr<Impl> impl_;
};

// A parsed Write call in the commit queue. Override answered() to resume the client.
class WriteJob : public storage::CommitJob {
 public:
  // Both must outlive the job. `is_long`: known to take long, so no short run is tried.
  WriteJob(Engine& engine, Call& call, bool is_long = false)
      : engine_(engine), call_(call), is_long_(is_long) {}

  Result<void> run(storage::WriteTransaction& transaction) final;
  void done(bool committed) noexcept final;
  bool is_long() const noexcept final { return is_long_; }
  bool only_frees_space() const noexcept override;

  // Called exactly once, on the leader's thread, when the outcome is known. The job may be gone
  // when it returns. Must not throw.
  virtual void answered() noexcept = 0;

  // Valid from answered() on: the error (InternalServerError if storage failed); empty on success.
  std::optional<Error>& error() { return error_; }

 private:
  friend class Engine;
  // A transaction may be in flight between two runs.
  enum class Phase : std::uint8_t { Deciding, Parked, Committing, Ending };
  Result<bool> decide(storage::WriteTransaction& transaction, Timestamp now);
  Result<bool> decide_briefly(storage::WriteTransaction& transaction, Timestamp now);
  bool starts_waiting(Timestamp now);

  Engine& engine_;
  Call& call_;
  Phase phase_ = Phase::Deciding;
  bool is_long_;                // or its short run took too many steps
  bool is_put_off_ = false;     // by its last run, which changed nothing
  bool found_no_room_ = false;  // for the first piece of the work that the write begins
  std::optional<Error> error_;
};

}  // namespace stator
