// Runtimes: functions of --function NAME, which have no server. Their processes fetch calls from
// this one by the Runtime API, one call at a time each, and bring the answers.
//
// A process is known only by its connections. It counts as there while it waits for a call, has
// one, and for kPresence after that, when it is about to ask again or to start anew.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/call/work.h"
#include "server/triggers/functions.h"

namespace stator::triggers {

// A response's body is at most as long.
inline constexpr std::size_t kAnswerBytesMax = 6'291'556;

// A call for a process that fetches it.
struct RuntimeCall {
  std::string function;  // its name
  std::string function_arn;
  std::string request_id;  // a UUID
  std::string event;
  std::chrono::milliseconds timeout{0};  // from when a process has it
  std::string client_context = {};       // JSON on one line; empty: none
  bool has_waited = false;  // for a process before; gets the error of one that could not start
};

// The end of a call.
struct RuntimeOutcome {
  enum class Kind : std::uint8_t {
    Answered,
    FunctionError,  // `body` is an error object
    Busy,           // no process had time for it
    NotReached,     // there is no process
  };
  Kind kind = Kind::NotReached;
  std::string body = {};
  std::string why = {};     // in a few words, if the function did not get the call
  std::string output = {};  // the last of what the process has written during the call
};

// What a process gets as the answer to a poll.
struct RuntimeEvent {
  std::string request_id;
  std::string function_arn;
  std::string client_context;
  std::string event;
  std::int64_t deadline_ms = 0;  // since 1970

  std::chrono::milliseconds time_left() const;
};

// The outcome of an answer that a process brings.
enum class Delivery : std::uint8_t {
  Taken,
  UnknownId,  // no such call, or its time is over
  Repeated,   // it is answered already
};

class RuntimePoll;
using RuntimePolls = std::list<std::shared_ptr<RuntimePoll>>;

class Runtimes {
 public:
  static constexpr std::chrono::milliseconds kPresence{1'000};

  // `functions` must outlive this.
  explicit Runtimes(const Functions& functions);
  ~Runtimes();
  Runtimes(const Runtimes&) = delete;
  Runtimes& operator=(const Runtimes&) = delete;

  // Whether the function is one of those, by its name.
  bool has(std::string_view function) const { return find(function) != nullptr; }
  // The name of the only one; empty if there are none or several. Lives as long as this.
  std::string_view only_one() const;
  bool empty() const { return states_.empty(); }

  // ---- Those who call functions ----

  // Returns once a process has answered, the time is over, no process is there, or
  // `stop_condition` says so. REQUIRES: has(call.function). Any thread that may wait.
  RuntimeOutcome call(RuntimeCall call, StopCondition* stop_condition = nullptr);
  // How many processes wait for a call or have one.
  std::size_t processes(std::string_view function);
  // Whether a process may have time for a call beside this number. There is room for one at least,
  // because a process may be about to ask. Without room, the next process tells the listener.
  bool has_room(std::string_view function, std::size_t calls);
  // Whether there is a process, or one could not start at `since` or later. If not, the listener is
  // called once when that changes.
  bool is_there_or_wanted(std::string_view function, std::chrono::steady_clock::time_point since);
  // Replaces the listener, which any thread may call, with a lock held: it must not call this.
  void on_arrival(std::function<void()> listener);
  // Why the last process could not start, as it said; empty: none has said so.
  std::string init_error(std::string_view function);
  // Ends all calls, now and later.
  void stop();

  // ---- Their processes ----

  // Queues the poll; wakes it at once if a call waits. REQUIRES: has() its function.
  void begin(const std::shared_ptr<RuntimePoll>& poll);
  // Ends the poll. Returns the call that it got, which its process has from now on.
  std::optional<RuntimeEvent> take(RuntimePoll& poll);
  // As take(), for a process that is gone: another one gets the call.
  void leave(RuntimePoll& poll);
  // The connection has ended on which a process got the call. Unless it is answered within
  // kPresence on another one, the process has ended.
  void let_go(const std::string& function, const std::string& request_id);
  bool is_running(const std::string& function, const std::string& request_id);
  Delivery finish(std::string_view function, const std::string& request_id, RuntimeOutcome outcome);
  // A process could not start. Calls that wait fail with this error object, unless another process
  // is there.
  void fail_start(std::string_view function, std::string error);

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending;
  struct State;

  State* find(std::string_view function) const;
  void match(State& state);
  void settle(State& state, Pending& pending, RuntimeOutcome outcome);
  void notify_arrival(State& state);
  static bool is_there(const State& state, Clock::time_point now);
  static void wake_queued(State& state);
  Clock::time_point step(State& state, Pending& pending, Clock::time_point now);

  std::map<std::string, std::unique_ptr<State>, std::less<>> states_;  // by name; fixed
  std::mutex mutex_;  // guards what states_ point to, and the rest
  std::function<void()> listener_;
  bool is_stopping_ = false;
};

// A process that waits for a call.
class RuntimePoll {
 public:
  // `wake` is called once, from any thread with a lock held, when there is a call to take.
  RuntimePoll(std::string function, std::function<void()> wake)
      : function_(std::move(function)), wake_(std::move(wake)) {}

  const std::string& function() const { return function_; }

 private:
  friend class Runtimes;

  const std::string function_;
  const std::function<void()> wake_;
  // Guarded by Runtimes::mutex_.
  std::optional<RuntimeEvent> given_;
  std::optional<RuntimePolls::iterator> place_;  // among those that wait
};

// The call that a process has, for as long as its connection lasts.
class RuntimeHold {
 public:
  RuntimeHold(Runtimes& runtimes, std::string function, std::string request_id)
      : runtimes_(runtimes), function_(std::move(function)), request_id_(std::move(request_id)) {}
  ~RuntimeHold() { runtimes_.let_go(function_, request_id_); }
  RuntimeHold(const RuntimeHold&) = delete;
  RuntimeHold& operator=(const RuntimeHold&) = delete;

  // Whether the call still waits for its answer.
  bool is_running() const { return runtimes_.is_running(function_, request_id_); }

 private:
  Runtimes& runtimes_;
  const std::string function_;
  const std::string request_id_;
};

}  // namespace stator::triggers
