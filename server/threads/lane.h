// Lane: threads for long work, above all long reads, so that short work does not wait for it. First
// come, first served. No niceness is needed: the threads that serve connections run briefly and
// often, so the system prefers them already. Niceness would only starve long reads when other
// programs run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stator {

class Dispatcher;

// A request in the lane; must live until run() ends.
class LaneJob {
 public:
  virtual ~LaneJob() = default;
  // Called once, on a thread of the lane, with that thread's dispatcher.
  virtual void run(Dispatcher& dispatcher) noexcept = 0;

 private:
  friend class Lane;
  LaneJob* next_ = nullptr;
};

class Lane {
 public:
  using MakeDispatcher = std::function<std::unique_ptr<Dispatcher>()>;

  // Calls `make` on the calling thread, once for each thread of the lane. Threads start with the
  // first job, because most processes never need them.
  Lane(unsigned threads, const MakeDispatcher& make);
  // Joins the threads. REQUIRES: no job is left.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // First come, first served. Any thread may call this.
  void push(LaneJob& job);

 private:
  void serve(Dispatcher& dispatcher);
  LaneJob* take();

  std::vector<std::unique_ptr<Dispatcher>> dispatchers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  LaneJob* first_ = nullptr;          // guarded by mutex_
  LaneJob** end_ = &first_;           // guarded by mutex_
  std::size_t queued_ = 0;            // jobs that wait; guarded by mutex_
  std::size_t idle_ = 0;              // threads that wait; guarded by mutex_
  bool is_stopping_ = false;          // guarded by mutex_
  std::vector<std::thread> threads_;  // guarded by mutex_
};

}  // namespace stator
