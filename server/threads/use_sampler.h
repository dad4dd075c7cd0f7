// UseSampler: a thread that samples the use of tables and global indexes once a second of the
// engine's clock, so that a page can draw the past (engine/reports/use_series.h). While the clock
// stands it sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/reports/use_series.h"
#include "engine/seams/clock.h"

namespace stator {

class Engine;

class UseSampler final : ClockWatcher {
 public:
  // Starts the thread, unless `is_on` is false: then nothing is sampled. `engine` must outlive
  // this.
  UseSampler(Engine& engine, bool is_on);
  ~UseSampler() override;
  UseSampler(const UseSampler&) = delete;
  UseSampler& operator=(const UseSampler&) = delete;

  // Samples at once. Call after a move of the clock, so that what happens next is counted after it.
  // Any thread.
  void sample_now();
  // UseSeries::steps() of now, with everything that is counted until now. Any thread.
  std::vector<UseStep> steps(const UseSeries::State& state, std::size_t length);

 private:
  void run();
  // Returns false if the thread must stop.
  bool wait(std::uint64_t& moves_seen);
  // REQUIRES: mutex_ is held.
  void sample();
  // The leader of the commit queue may call this in the middle of a rollback, for which readers
  // wait. So it takes no lock that a reader holds.
  void clock_moved() noexcept override;

  Engine& engine_;
  const Clock& clock_;
  std::atomic<bool> was_moved_{false};  // since the last sample
  std::mutex mutex_;
  UseSeries series_;  // guarded by mutex_
  std::mutex wait_mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;  // guarded by wait_mutex_
  std::uint64_t moves_ = 0;   // of the clock; guarded by wait_mutex_
  std::thread thread_;        // last: it uses the above
};

}  // namespace stator
