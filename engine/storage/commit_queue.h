// CommitQueue: all writes of the process, one transaction per batch.
//
// Whoever finds the queue without a leader leads: takes every waiting job, runs them in one write
// transaction, commits once, tells each job, and repeats a bounded number of times before handing
// over. With a thread of its own (Sync::Commit) that thread always leads, so that an fsync never
// stalls a thread that serves connections. Jobs are intrusive: the queue allocates nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "engine/storage/environment.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

class CommitJob {
 public:
  virtual ~CommitJob() = default;

  // Decides and applies, inside the batch's transaction; sees what earlier jobs of the batch wrote.
  // A request that is refused writes nothing and returns success here (it keeps its own Error). A
  // failure returned here means the storage failed: the transaction may hold half a change, is
  // aborted, and the batch's jobs are run again one by one. So run() may be called twice and must
  // start afresh.
  virtual Result<void> run(WriteTransaction& transaction) = 0;

  // Whether it is known to take long. It begins a batch, so that nothing before it waits for it.
  virtual bool is_long() const noexcept { return false; }

  // Whether it only makes room, and may use what is kept for that in a full store.
  virtual bool only_shrinks() const noexcept { return false; }

  // Called exactly once, on the leader's thread, after the batch was committed (`committed`) or
  // given up. The job may be gone when it returns. Must not throw.
  virtual void done(bool committed) noexcept = 0;

 private:
  friend class CommitQueue;
  CommitJob* next_ = nullptr;
};

// Told about batches; called on the leader's thread.
class BatchObserver {
 public:
  virtual ~BatchObserver() = default;
  // Last chance to write, before the commit of a batch whose jobs all ran.
  virtual Result<void> before_commit(WriteTransaction& transaction) = 0;
  // Before the jobs' done(): publish what the batch changed, or forget it. `failure`
  // is nullptr after a commit, else what went wrong, for the log. Once for each
  // transaction tried, so when a batch failed (forget) it follows once more for each of its jobs
  // run alone.
  virtual void batch_ended(const Error* failure) noexcept = 0;
};

class CommitQueue {
 public:
  enum class Leader : std::uint8_t {
    Caller,  // push() may ask its caller to lead
    Thread,  // a thread of the queue's own leads
  };

  CommitQueue(Environment& environment, BatchObserver& observer, Leader leader);
  // stop()s.
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  // Queues a job, from any thread. True: the caller must call lead() soon, on any thread, once;
  // jobs pushed meanwhile join the batch. The job must live until its done(). After stop() the job
  // is done(false) at once.
  [[nodiscard]] bool push(CommitJob& job);

  // REQUIRES: a push() returned true and nobody has called lead() for it yet. Returns true when
  // work is left and the caller must call lead() again (after letting others have the thread).
  [[nodiscard]] bool lead();

  // What lead_briefly() left: there is more for the same caller, or for one who calls lead().
  enum class Left : std::uint8_t { Nothing, More, Long };

  // The same, on a thread that others need: it does not begin what is known to take long.
  [[nodiscard]] Left lead_briefly();

  // Finishes what is queued, then refuses. Idempotent.
  void stop();

  struct Counters {
    std::uint64_t batches;
    std::uint64_t jobs;
    std::uint64_t failed_batches;
    std::chrono::nanoseconds working;  // what leaders spent on batches, failed ones too
  };
  // From any thread.
  Counters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
