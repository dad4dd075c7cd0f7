// Engine: the tables and items of a process, behind three steps a request takes.
//
//   1. parse():   body -> call.request, every error that needs no stored data        (any thread)
//   2. read():    runs a Read operation on the thread's own read transaction        (any thread)
//      WriteJob:  runs a Write operation in the commit queue                          (queue's
//      leader)
//   3. the caller renders call.reply or the Error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/maintenance/maintenance.h"
#include "engine/marks.h"
#include "engine/operations/operation.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"
#include "engine/seams/random.h"
#include "engine/state/catalog.h"
#include "engine/state/mutation.h"
#include "engine/state/published.h"
#include "engine/state/snapshot.h"
#include "engine/storage/commit_queue.h"
#include "engine/storage/transaction.h"
#include "engine/warnings.h"
#include "protocol/result.h"

namespace stator {

class Engine {
 public:
  // Opens the data and its tables. `settings`, `clock` and `random` must outlive the engine. The
  // error is one line for the user.
  static tl::expected<std::unique_ptr<Engine>, std::string> open(const Settings& settings,
                                                                 const Clock& clock, Random& random,
                                                                 Warn warn) {
    return open_data(settings, clock, nullptr, random, std::move(warn));
  }
  // The same on a clock that nobody has moved yet: it is put where the data or the settings say
  // (engine/state/kept_clock.h), and kept with each commit.
  static tl::expected<std::unique_ptr<Engine>, std::string> open(const Settings& settings,
                                                                 MovableClock& clock,
                                                                 Random& random, Warn warn) {
    return open_data(settings, clock, &clock, random, std::move(warn));
  }
  // Stops the commit queue. REQUIRES: no call is in flight.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // REQUIRES: call.operation and call.caller are set. Sets call.settings, call.wording,
  // call.request and call.access. `body` and what it points to must outlive the call.
  Result<void> parse(const JsonNode& body, Call& call) const;

  // The engine's time: it follows the clock given to open() forward and never goes back, over
  // restarts either.
  const Clock& clock() const;

  // What a thread reads with: its transaction and its copy of the tables. The engine must outlive
  // it.
  class Reader {
   public:
    explicit Reader(const Engine& engine);
    // Lets go of what an exception left; no-op otherwise.
    void release() { transaction_.release(); }

   private:
    friend class Engine;
    storage::ReadTransaction transaction_;
    Published<Catalog>::Reader tables_;
  };

  // REQUIRES: parsed, access Read, `reader` belongs to this thread.
  Result<void> read(Call& call, Reader& reader) const;

  // Shows `look` the latest state, for whoever is no request: it must do without what Call gives,
  // and takes what it needs out of the snapshot. The error is `look`'s, or says why the data cannot
  // be read, for an operator. REQUIRES: `reader` belongs to this thread.
  using Look = std::function<Result<void>(const Snapshot& snapshot)>;
  Result<void> look(Reader& reader, const Look& look) const;

  // Transactions in flight end here, with an error, and no more take off: for a process that ends.
  void end_flights();

  // Push WriteJobs here.
  storage::CommitQueue& commit_queue();
  const storage::CommitQueue& commit_queue() const;

  // What a change that no request asks for does to the tables as they are `now`. It makes no room
  // scarce; may be called twice.
  using Decide = std::function<void(const Catalog& catalog, Timestamp now, Mutation& mutation)>;
  // Makes one change in the commit queue and waits for it; returns whether it was committed. With
  // it the place of a movable clock is kept, so a change of nothing keeps that alone.
  bool change(const Decide& decide) {
    return do_piece([&](ChorePiece& piece) {
      decide(piece.catalog(), piece.now, piece.mutation);
      return piece.apply();
    });
  }

  // The same for a piece of maintenance that somebody asks for before it is due. May be called
  // twice, too.
  using PieceWork = std::function<Result<void>(ChorePiece& piece)>;
  bool do_piece(const PieceWork& work);

  // Does a piece of what is due without being asked (engine/maintenance/maintenance.h) and tells
  // what is left. Runs as a job of the commit queue and waits for it, so call it from a thread of
  // your own: again while something is due, and when next_due has come.
  MaintenanceState maintain(const PieceLimits& limits = {});

  // Tells maintenance that time is about to be moved on by `length`, or, with zero, that it was
  // (ChoreKind::time_moves()). Waits for a commit; returns whether there was one.
  bool time_moves(std::chrono::microseconds length);

  // Remembers the present state under a name that is_mark_name(); the one that had it is forgotten.
  MarkEnd set_mark(const std::string& name);
  // Goes back to the state. Those of marks made behind it are forgotten, it stays. The time goes
  // back if it was moved since. Takes as long as the changes since did, or so. REQUIRES: nobody
  // moves the clock or calls maintain() meanwhile.
  MarkEnd go_back(const std::string& name);
  // With the last one what it kept is swept.
  MarkEnd forget_mark(const std::string& name);
  // In the order in which they were made.
  Result<std::vector<ToldMark>> marks() const;

  // Stores what was changed in tables' throughput and is not stored yet (ThroughputState), and
  // waits for that. Returns whether it was committed.
  bool keep_throughput();

  // `due` is called, from any thread, when a commit left something for maintain() to do at that
  // time. REQUIRES: no call is in flight.
  void on_maintenance_due(std::function<void(Timestamp)> due);

 private:
  friend class WriteJob;
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  static tl::expected<std::unique_ptr<Engine>, std::string> open_data(const Settings& settings,
                                                                      const Clock& clock,
                                                                      MovableClock* movable,
                                                                      Random& random, Warn warn);
  static tl::expected<std::unique_ptr<Engine>, std::string> open_sound_data(
      const Settings& settings, const Clock& clock, MovableClock* movable, Random& random,
      Warn warn);
  bool set_delays();
  MarkEnd change_marks(const std::function<Result<MarkEnd>(storage::WriteTransaction&)>& work,
                       bool only_shrinks);
  std::unique_ptr<Impl> impl_;
};

// A parsed Write call in the commit queue. Derive and override answered() to resume whoever waits.
class WriteJob : public storage::CommitJob {
 public:
  // Both must outlive the job.
  WriteJob(Engine& engine, Call& call) : engine_(engine), call_(call) {}

  Result<void> run(storage::WriteTransaction& transaction) final;
  void done(bool committed) noexcept final;
  bool is_long() const noexcept final { return is_long_; }
  bool only_shrinks() const noexcept override {
    return call_.operation->only_shrinks(call_.request);
  }

  // Called exactly once, on the leader's thread, when the outcome is known. The job may be gone
  // when it returns. Must not throw.
  virtual void answered() noexcept = 0;

  // From answered() on: the refusal, or InternalServerError when storage failed; empty on success.
  std::optional<Error>& error() { return error_; }

 private:
  friend class Engine;
  // A transaction may be in flight between two runs.
  enum class Phase : std::uint8_t { Deciding, TakingOff, Landing, Ending };
  Result<bool> decide(storage::WriteTransaction& transaction, Timestamp now);
  Result<bool> decide_briefly(storage::WriteTransaction& transaction, Timestamp now);
  bool takes_off(Timestamp now);

  Engine& engine_;
  Call& call_;
  Phase phase_ = Phase::Deciding;
  bool is_long_ = false;     // it took too many steps once, so it runs when it may take long
  bool is_put_off_ = false;  // by its last run, which came to nothing
  std::optional<Error> error_;
};

}  // namespace stator
