// Worker: one network thread with everything its connections share, so that sessions need no locks.
//
// Owns the thread's io_context, Dispatcher (with the thread's read transaction), spare Exchanges,
// the list of its sessions and the one timer that ends those whose deadline passed. Deadlines are
// counted in ticks of that timer: setting one costs an addition, and a worker without sessions
// sleeps.
//
// Commits: a session pushes a Commit. When the queue asks for a leader, leading is posted behind
// the sessions that became readable in the same poll, so that their jobs join the batch. Whoever
// leads, each worker resumes its own sessions; one wake-up carries a whole batch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "engine/engine.h"
#include "server/admin/admin.h"
#include "server/dispatcher.h"
#include "server/lane.h"
#include "server/options.h"
#include "server/write_lane.h"

namespace stator {

class Worker;

// A connection as its worker sees it.
class SessionBase {
 public:
  virtual ~SessionBase() = default;

 protected:
  SessionBase() = default;

  // Ends what the session waits for, so that it ends by itself. Must not throw.
  virtual void close() = 0;
  // Ends the waiting for a request, unless bytes of one are here. Must not throw.
  virtual void leave() = 0;

  static constexpr std::int64_t kNoDeadline = INT64_MAX;
  std::int64_t deadline_ = kNoDeadline;  // tick of the worker
  // Of the answer that a client has not taken yet; 0 while none waits.
  std::size_t waiting_bytes_ = 0;
  bool is_between_requests_ = false;
  std::uint64_t idle_order_ = 0;  // larger: idle since later

 private:
  friend class Worker;
  SessionBase* previous_ = nullptr;
  SessionBase* next_ = nullptr;
};

// A write of a session in the commit queue; lives until resume().
class Commit : public WriteJob {
 public:
  Commit(Worker& worker, Engine& engine, Call& call) : WriteJob(engine, call), worker_(worker) {}
  void answered() noexcept final;

  // Called once, on the worker's thread.
  virtual void resume() = 0;

 private:
  friend class Worker;
  Worker& worker_;
  Commit* next_completed_ = nullptr;
};

// The memory of all requests, and whether there is none left for some of them.
class RequestMemory {
 public:
  explicit RequestMemory(std::size_t bytes_max) : budget_(bytes_max) {}

  MemoryBudget& budget() { return budget_; }
  const MemoryBudget& budget() const { return budget_; }

  // A request was refused. The log is told of the first one alone.
  void refused();
  // How many were.
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
  bool is_short() const { return is_short_.load(std::memory_order_relaxed); }
  // At each tick while it is short: that is over when enough was given back and nobody was refused
  // for some ticks.
  void look_again();
  // What is to be given back, at least, before requests that were refused have a chance.
  std::size_t missing_bytes() const;

 private:
  std::size_t relaxed_bytes() const { return budget_.bytes_max() / 4 * 3; }

  MemoryBudget budget_;
  std::atomic<bool> is_short_{false};
  std::atomic<int> quiet_ticks_{0};  // since the last refusal
  std::atomic<std::uint64_t> refusals_{0};
};

// What the workers of a process share.
struct WorkerParts {
  Engine& engine;
  const OperationTable& operations;
  const Clock& clock;
  const Options& options;
  RequestMemory& memory;
  RequestLog& log;
  Lane& lane;
  Lane& admin_lane;  // of one thread
  WriteLane& write_lane;
  Admin* admin;                         // nullptr: there is no admin path
  AllRequestCounters* requests;         // nullptr: nobody can ask for them
  RecentRequests* recent;               // nullptr: none are kept
  const std::atomic<bool>* is_loading;  // nullptr: it never is
};

class Worker {
 public:
  using Executor = boost::asio::io_context::executor_type;

  // `seed`: for request ids.
  Worker(WorkerParts parts, std::uint64_t seed);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Serves on the calling thread until stop() was called and the last session ended.
  void run();
  // From any thread: sessions between requests end, the others after the request they are in.
  void stop();
  // From any thread, after stop(): all connections are closed.
  void insist();
  // Runs `work` on the worker's thread; not after it has ended. From any thread.
  template <class Work>
  void post(Work&& work) {
    boost::asio::post(context_, std::forward<Work>(work));
  }

  // From any thread.
  Executor executor() { return context_.get_executor(); }
  void completed(Commit& commit) noexcept;

  // On the worker's thread only.
  void add(SessionBase& session);
  void remove(SessionBase& session);
  bool is_stopping() const { return is_stopping_; }
  // Closes the connection that has been between requests for longest; false when there is none.
  bool close_longest_idle();
  std::uint64_t next_idle_order() { return ++idle_order_; }
  std::int64_t idle_deadline() const { return tick_ + idle_ticks_; }
  std::int64_t request_deadline() const { return tick_ + request_ticks_; }
  std::int64_t guest_deadline() const { return tick_ + 2; }
  Dispatcher& dispatcher() { return dispatcher_; }
  Engine& engine() { return parts_.engine; }
  RequestMemory& memory() { return parts_.memory; }
  Lane& lane() { return parts_.lane; }
  Lane& admin_lane() { return parts_.admin_lane; }
  std::unique_ptr<Exchange> take_exchange();
  void give_back(std::unique_ptr<Exchange> exchange);
  void push(Commit& commit);
  // Sessions whose last request took a moment: those of others should not be long here.
  void count_quick_session(int change) { quick_sessions_ += change; }
  int quick_sessions() const { return quick_sessions_; }
  // A large request's memory was freed: give it back to the system at the next tick.
  void trim_later() { should_trim_ = true; }

 private:
  void end();
  void arm_timer();
  void on_tick();
  void relieve_memory();
  void lead();
  void lead_later();
  void resume_completed();

  WorkerParts parts_;
  Dispatcher dispatcher_;
  std::vector<std::unique_ptr<Exchange>> spare_exchanges_;

  SessionBase* sessions_ = nullptr;
  std::chrono::milliseconds tick_length_;
  std::int64_t tick_ = 0;
  std::uint64_t idle_order_ = 0;
  std::int64_t idle_ticks_;
  std::int64_t request_ticks_;
  bool is_timer_armed_ = false;
  bool is_stopping_ = false;
  bool is_insisting_ = false;
  bool should_trim_ = false;
  int quick_sessions_ = 0;

  std::atomic<Commit*> completed_{nullptr};  // newest first
  bool is_leading_ = false;                  // touched on the worker's thread only
  std::thread::id thread_;

  // Last: its handlers refer to the above.
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  boost::asio::executor_work_guard<Executor> work_{context_.get_executor()};
};

}  // namespace stator
