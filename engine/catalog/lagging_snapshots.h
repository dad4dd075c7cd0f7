// LaggingSnapshots: earlier states of the store, for eventually consistent reads
// (Settings::eventual_read_lag, and stale reads on demand).
//
// Each commit first retains the state that it replaces, unless one from shortly before is retained.
// A read gets the newest retained state that began at least its age ago, or the latest state if
// nothing was committed since then. Retained states pin pages of the store; the first commit after
// the lag drops them, and the pages can be reused. Without a lag nothing is retained.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>

#include "engine/seams/clock.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// A state of the store that several threads may read, one at a time.
struct SharedSnapshot {
  explicit SharedSnapshot(const storage::Environment& environment) : transaction(environment) {}

  std::mutex mutex;  // lock to use the transaction, which is acquired
  storage::ReadTransaction transaction;
};

class LaggingSnapshots {
 public:
  // Limit; leaves slots free in LMDB's reader table.
  static constexpr std::size_t kKeptMax = 32;

  // REQUIRES: the environment outlives this object.
  LaggingSnapshots(const storage::Environment& environment, std::chrono::microseconds lag)
      : environment_(environment), own_lag_(lag), lag_(lag), is_on_(lag.count() > 0) {}

  // Whether states are retained. The functions below need not be called otherwise.
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  // Retains states for reads of up to this age from now on; zero: no more than for the lag of the
  // constructor. The state that the oldest reads saw up to `now` counts as old enough for those of
  // this age. Any thread.
  void retain_for(std::chrono::microseconds age, Timestamp now);

  // Call before each commit, on the committing thread.
  void about_to_commit(Timestamp now);
  // Drops every retained state; the current one counts as old enough until the next commit. Call
  // after a failed commit, and when older states must not be read any more.
  void restart();

  // The state of this age that a read at `now` uses. Any thread. nullptr means the latest state,
  // which `latest` has acquired.
  Result<std::shared_ptr<SharedSnapshot>> find(Timestamp now, std::chrono::microseconds age,
                                               storage::ReadTransaction& latest);

  std::size_t kept_count() const;

 private:
  struct RetainedSnapshot {
    Timestamp since;  // when the state began
    std::shared_ptr<SharedSnapshot> snapshot;
  };

  using Snapshots = std::deque<RetainedSnapshot>;

  // These are for callers that hold mutex_.
  void drop_every_second();
  // The state that a read at `now` uses; the end: it uses the latest one.
  Snapshots::iterator find_kept(Timestamp now, std::chrono::microseconds age);

  const storage::Environment& environment_;
  const std::chrono::microseconds own_lag_;
  mutable std::mutex mutex_;
  std::chrono::microseconds lag_;  // of the oldest read; guarded by mutex_
  std::atomic<bool> is_on_;
  Snapshots kept_;                             // oldest first; guarded by mutex_
  Timestamp latest_since_ = Timestamp::min();  // when the latest state began; guarded by mutex_
};

}  // namespace stator
