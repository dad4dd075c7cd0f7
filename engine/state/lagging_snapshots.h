// LaggingSnapshots: the store as it was a while ago, for eventually consistent reads
// (Settings::eventual_read_lag).
//
// A commit about to happen keeps the state it replaces, unless one from shortly before is kept
// already. A read gets the newest kept state that began at least the lag ago, or the latest one
// when nothing was committed since then. What is kept pins pages of the store: they are used again
// when it is dropped, at the first commit after the lag.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>

#include "engine/seams/clock.h"
#include "engine/storage/environment.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// A state of the store that several threads may read, one at a time.
struct SharedSnapshot {
  explicit SharedSnapshot(const storage::Environment& environment) : transaction(environment) {}

  std::mutex mutex;  // held by who uses the transaction, which is acquired
  storage::ReadTransaction transaction;
};

class LaggingSnapshots {
 public:
  // States kept at most: what readers of the store's table have room for, and then some.
  static constexpr std::size_t kKeptMax = 32;

  // The environment must outlive this. REQUIRES: lag > 0.
  LaggingSnapshots(const storage::Environment& environment, std::chrono::microseconds lag)
      : environment_(environment), lag_(lag) {}

  // Before each commit, on the thread that commits.
  void about_to_commit(Timestamp now);
  // Forgets every state: the present one counts as old enough until the next commit. When a commit
  // failed, and when older states must not be seen any more.
  void restart();

  // What a read at `now` sees, from any thread. nullptr: the latest state, which `latest` has
  // acquired.
  Result<std::shared_ptr<SharedSnapshot>> find(Timestamp now, storage::ReadTransaction& latest);

  std::size_t kept_count() const;

 private:
  struct Kept {
    Timestamp since;  // when the state began
    std::shared_ptr<SharedSnapshot> snapshot;
  };

  const storage::Environment& environment_;
  const std::chrono::microseconds lag_;
  mutable std::mutex mutex_;
  std::deque<Kept> kept_;                      // oldest first; guarded by mutex_
  Timestamp latest_since_ = Timestamp::min();  // when the latest state began; guarded by mutex_
};

}  // namespace stator
