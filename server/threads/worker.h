// Worker: one network thread with everything that its connections share, so that sessions need no
// locks.
//
// Owns the thread's io_context, Dispatcher (with the thread's read transaction), spare Exchanges,
// the list of its sessions and one timer that closes those whose deadline has passed. Deadlines are
// ticks of that timer: setting one costs an addition. A worker without sessions sleeps.
//
// Commits: a session pushes a Commit. If the queue asks for a leader, the worker posts lead(). It
// runs after the sessions that became readable in the same poll, so their jobs join the batch.
// Whichever thread leads, each worker resumes its own sessions; one wake-up serves a whole batch.
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

#include "engine/api/engine.h"
#include "server/dispatch/admin.h"
#include "server/dispatch/dispatcher.h"
#include "server/options/options.h"
#include "server/threads/lane.h"
#include "server/threads/write_lane.h"

namespace stator {

class Worker;

// The part of a session that its worker uses.
class SessionBase {
 public:
  virtual ~SessionBase() = default;

 protected:
  SessionBase() = default;

  // Cancels what the session waits for, so that it ends. Must not throw.
  virtual void close() = 0;
  // Ends the wait for a request unless bytes of one have arrived. Must not throw.
  virtual void leave() = 0;

  static constexpr std::int64_t kNoDeadline = INT64_MAX;
  std::int64_t deadline_ = kNoDeadline;  // tick of the worker
  // Size of the response that the client has not read yet; 0 if none.
  std::size_t waiting_bytes_ = 0;
  bool is_between_requests_ = false;
  std::uint64_t idle_order_ = 0;  // larger: idle since later
  // Of a session that is not idle although it waits for its client: it is not closed for others.
  static constexpr std::uint64_t kNotIdle = UINT64_MAX;

 private:
  friend class Worker;
  SessionBase* previous_ = nullptr;
  SessionBase* next_ = nullptr;
};

// A session's write in the commit queue; lives until resume().
class Commit : public WriteJob {
 public:
  Commit(Worker& worker, Engine& engine, Call& call, bool is_long)
      : WriteJob(engine, call, is_long), worker_(worker) {}
  void answered() noexcept final;

  // Called once, on the worker's thread.
  virtual void resume() = 0;

 private:
  friend class Worker;
  Worker& worker_;
  Commit* next_completed_ = nullptr;
};

// The memory budget of all requests, and whether it was exceeded lately.
class RequestMemory {
 public:
  explicit RequestMemory(std::size_t bytes_max) : budget_(bytes_max) {}

  MemoryBudget& budget() { return budget_; }
  const MemoryBudget& budget() const { return budget_; }

  // Counts a refused request; logs only the first one while memory is short.
  void refused();
  // How many were.
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
  bool is_short() const { return is_short_.load(std::memory_order_relaxed); }
  // Call at each tick while memory is short. Ends that state once enough is free and no request was
  // refused for some ticks.
  void check_pressure();
  // Bytes to free before refused requests have a chance.
  std::size_t missing_bytes() const;

 private:
  std::size_t relaxed_bytes() const { return budget_.bytes_max() / 4 * 3; }

  MemoryBudget budget_;
  std::atomic<bool> is_short_{false};
  std::atomic<int> quiet_ticks_{0};  // since the last refusal
  std::atomic<std::uint64_t> refusals_{0};
};

// Shared by all workers of the process.
struct WorkerParts {
  Engine& engine;
  const OperationTable& operations;
  const Clock& clock;
  const Options& options;
  RequestMemory& memory;
  RequestLog& log;
  Lane& lane;
  Lane& admin_lane;          // of one thread
  Lane& admin_reading_lane;  // for verbs that change nothing
  Lane& function_lane;       // for calls of functions that a client waits for
  WriteLane& write_lane;
  Admin* admin;                         // nullptr without an admin path
  AllRequestCounters* requests;         // nullptr without metrics
  RecentRequests* recent;               // nullptr: none are kept
  const std::atomic<bool>* is_loading;  // nullptr: it never is
  faults::FaultRules* faults;           // nullptr: no request fails on demand
  access::AccessControl* access;        // nullptr: --auth off
  const LambdaServices& lambda;
};

class Worker {
 public:
  using Executor = boost::asio::io_context::executor_type;

  // `seed` is for request ids.
  Worker(WorkerParts parts, std::uint64_t seed);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Serves on the calling thread until stop() was called and the last session has ended.
  void run();
  // Idle sessions end now, others after their current request. Any thread may call this.
  void stop();
  // Closes all connections. Call after stop(), from any thread.
  void force_close();
  // Runs `work` on the worker's thread, unless run() has ended. Any thread may call this.
  template <class Work>
  void post(Work&& work) {
    boost::asio::post(context_, std::forward<Work>(work));
  }

  // From any thread.
  Executor executor() { return context_.get_executor(); }
  void completed(Commit& commit) noexcept;

  // These are for the worker's thread.
  void add(SessionBase& session);
  void remove(SessionBase& session);
  bool is_stopping() const { return is_stopping_; }
  // Closes the connection that has been idle for longest. Returns false if none is idle.
  bool close_longest_idle();
  std::uint64_t next_idle_order() { return ++idle_order_; }
  std::int64_t idle_deadline() const { return tick_ + idle_ticks_; }
  std::int64_t request_deadline() const { return tick_ + request_ticks_; }
  std::chrono::milliseconds request_timeout() const { return parts_.options.request_timeout; }
  std::int64_t deadline_after(std::chrono::milliseconds time) const {
    return tick_ + time / tick_length_ + 2;
  }
  std::int64_t guest_deadline() const { return tick_ + 2; }
  Dispatcher& dispatcher() { return dispatcher_; }
  Engine& engine() { return parts_.engine; }
  // Whether requests need all their header lines, and where they come from.
  bool keeps_fields() const { return parts_.access != nullptr; }
  // While this is true, they need their header lines, too; nullptr: they never do.
  const std::atomic<bool>* keeps_fields_while() const {
    return parts_.faults == nullptr ? nullptr : &parts_.faults->any_of_headers();
  }
  RequestMemory& memory() { return parts_.memory; }
  // The lane for what Dispatcher::begin() left.
  Lane& lane_for(Dispatcher::Step left) {
    if (left == Dispatcher::Step::NeedsAdmin) return parts_.admin_lane;
    if (left == Dispatcher::Step::NeedsAdminRead) return parts_.admin_reading_lane;
    if (left == Dispatcher::Step::NeedsFunction) return parts_.function_lane;
    return parts_.lane;
  }
  std::unique_ptr<Exchange> take_exchange();
  void give_back(std::unique_ptr<Exchange> exchange);
  void push(Commit& commit);
  // Counts sessions whose last request was quick. Long reads of other sessions should move to a
  // lane then.
  void count_quick_session(int change) { quick_sessions_ += change; }
  int quick_sessions() const { return quick_sessions_; }
  // Returns freed memory of a large request to the system at the next tick.
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
  bool is_leading_ = false;                  // used on the worker's thread only
  std::thread::id thread_;

  // Last, because its handlers refer to the members above.
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  boost::asio::executor_work_guard<Executor> work_{context_.get_executor()};
};

}  // namespace stator
