// CommitQueue: all writes of the process, one transaction per batch.
//
// A caller that finds the queue without a leader becomes the leader: it takes every waiting job,
// runs them in one write transaction, commits once and calls done() of each. It repeats this a
// bounded number of times before it hands over. With a thread of its own (Sync::Commit) that thread
// always leads, so that an fsync never stalls a thread that serves connections. Jobs are intrusive:
// the queue allocates nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "protocol/errors/error.h"
#include "protocol/errors/result.h"

namespace stator::storage {

class Environment;
class WriteTransaction;

class CommitJob {
 public:
  virtual ~CommitJob() = default;

  // Decides and applies the job inside the batch's transaction, which contains the writes of
  // earlier jobs of the batch. A job whose request is rejected writes nothing and returns success
  // (it stores its own Error). A returned failure means that the storage failed: the transaction
  // may contain half a change, so it is aborted and the batch's jobs run again one by one. So run()
  // may be called twice and must start afresh.
  virtual Result<void> run(WriteTransaction& transaction) = 0;

  // Whether the job is known to take long. Such a job starts a batch, so that no job before it
  // waits for it.
  virtual bool is_long() const noexcept { return false; }

  // Whether the job only frees space, so it may use the reserve.
  virtual bool only_frees_space() const noexcept { return false; }

  // Called exactly once, on the leader's thread, after the batch was committed (`committed`) or
  // aborted. The job may be destroyed before this returns. Must not throw.
  virtual void done(bool committed) noexcept = 0;

 private:
  friend class CommitQueue;
  CommitJob* next_ = nullptr;
};

// Called for each batch, on the leader's thread.
class BatchListener {
 public:
  virtual ~BatchListener() = default;
  // Last chance to write before the commit; all jobs of the batch have run.
  virtual Result<void> before_commit(WriteTransaction& transaction) = 0;
  // Called before the jobs' done(): publish the batch's changes, or drop them. `failure` is nullptr
  // after a commit, else the reason for the log. Called once per transaction: after a failed batch
  // also for each of its jobs run alone.
  virtual void batch_ended(const Error* failure) noexcept = 0;
};

class CommitQueue {
 public:
  enum class Leader : std::uint8_t {
    Caller,  // push() may ask its caller to lead
    Thread,  // a thread of the queue always leads
  };

  CommitQueue(Environment& environment, BatchListener& observer, Leader leader);
  // Calls stop().
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  // Queues a job. Any thread. If true, the caller must call lead() soon, once, on any thread; jobs
  // pushed until then join the batch. The job must live until its done(). After stop() calls
  // done(false) at once.
  [[nodiscard]] bool push(CommitJob& job);

  // REQUIRES: a push() returned true and lead() was not called for it yet. Returns true if work is
  // left; the caller must then call lead() again after letting other work use the thread.
  [[nodiscard]] bool lead();

  // What is left after lead_short_jobs(): nothing, work for the same caller, or work that needs
  // lead().
  enum class Left : std::uint8_t { Nothing, More, Long };

  // lead() for a thread that others need: does not start jobs known to take long.
  [[nodiscard]] Left lead_short_jobs();

  // Commits all queued jobs, then rejects new ones. Idempotent.
  void stop();

  struct Counters {
    std::uint64_t batches;
    std::uint64_t jobs;
    std::uint64_t failed_batches;
    std::chrono::nanoseconds working;  // time of leaders on batches, failed ones included
  };
  // Any thread.
  Counters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
