// Jobs: a thread that runs jobs of all kinds, one after the other. It is not started before the
// first job.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/seams/clock.h"
#include "server/jobs/job_kinds.h"

namespace stator {

class Jobs final : private ClockWatcher {
 public:
  // Looks once for jobs that an earlier process left. `store` is what the kinds work with. It and
  // the engine must outlive this. REQUIRES: no call is in flight, here and at the end.
  Jobs(Engine& engine, data::ObjectStore& store, JobKinds kinds);
  // Interrupts the job that runs; the next process runs it again.
  ~Jobs() override;
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

 private:
  // A job may be ready. From any thread.
  void note_ready();
  // REQUIRES: mutex_ is locked.
  void start_thread() noexcept;
  void run();
  // Runs one job of each kind, so that kinds take turns. Returns whether there was one.
  bool run_round();
  bool run_next(JobKind& kind);
  bool is_stopping();
  // Until a job may be ready, or one that waits is due. Returns false at the end.
  bool wait();
  std::optional<Timestamp> next_due();
  void clock_moved() noexcept override;

  Engine& engine_;
  const Clock& clock_;
  data::ObjectStore& store_;
  const JobKinds kinds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ready_ = false;     // guarded by mutex_
  bool is_stopping_ = false;  // guarded by mutex_
  std::thread thread_;        // started under mutex_
};

}  // namespace stator
