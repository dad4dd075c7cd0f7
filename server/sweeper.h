// Sweeper: a thread that removes the data of deleted tables, bit by bit, and sleeps until there is
// some.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace stator {

class Engine;

class Sweeper {
 public:
  // Starts the thread and looks once for what an earlier process left. Deleted tables become
  // sweepable `delay` after their deletion.
  Sweeper(Engine& engine, std::chrono::microseconds delay);
  // Stops it; at most one bounded piece of work is waited for.
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // A table was deleted. From any thread.
  void wake();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void run();
  bool is_stopping();

  Engine& engine_;
  const std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;           // guarded by mutex_
  Time sweep_again_at_ = Time::max();  // guarded by mutex_
  Time last_due_at_ = Time::min();     // of the tables deleted so far; guarded by mutex_
  std::thread thread_;                 // last: it uses the above
};

}  // namespace stator
