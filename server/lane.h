// Lane: threads for what takes long, above all reads that turned out to, so that what is short does
// not wait behind them. First come, first served. The system shares processors between them and the
// threads that serve connections, which wake up for a moment each and so go first: niceness would
// only starve long reads beside other programs.
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

// A request in the lane; lives until it has run.
class LaneJob {
 public:
  virtual ~LaneJob() = default;
  // On a thread of the lane, once, with a dispatcher of that thread.
  virtual void run(Dispatcher& dispatcher) noexcept = 0;

 private:
  friend class Lane;
  LaneJob* next_ = nullptr;
};

class Lane {
 public:
  using MakeDispatcher = std::function<std::unique_ptr<Dispatcher>()>;

  // `make` is called on the calling thread, for each of the lane's. Threads start with the first
  // job: most processes never need them.
  Lane(unsigned threads, const MakeDispatcher& make);
  // Ends the threads. REQUIRES: no job is left.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // From any thread. First come, first served.
  void push(LaneJob& job);

 private:
  void serve(Dispatcher& dispatcher);
  LaneJob* take();

  std::vector<std::unique_ptr<Dispatcher>> dispatchers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  LaneJob* first_ = nullptr;          // guarded by mutex_
  LaneJob** end_ = &first_;           // guarded by mutex_
  std::size_t idle_ = 0;              // threads that wait; guarded by mutex_
  bool is_stopping_ = false;          // guarded by mutex_
  std::vector<std::thread> threads_;  // guarded by mutex_
};

}  // namespace stator
