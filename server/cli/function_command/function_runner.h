// FunctionRunner: one process of a function, started again whenever it ends.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/cli/function_command/child_process.h"
#include "server/cli/function_command/forwarder.h"
#include "server/cli/function_command/function_options.h"
#include "server/cli/function_command/output_lines.h"

namespace stator {

// The variables that the program gets.
Variables function_variables(const FunctionOptions& options, std::uint16_t port);

// An eventfd.
class WakeUp {
 public:
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

class FunctionRunner {
 public:
  // Starts. `options` must outlive this. `on_failure` is called, on a thread of this, if the
  // program cannot be started; nothing else happens then.
  FunctionRunner(const FunctionOptions& options, std::function<void(std::string)> on_failure);
  // Stops it unless stop() was called, and waits for the end.
  ~FunctionRunner();
  FunctionRunner(const FunctionRunner&) = delete;
  FunctionRunner& operator=(const FunctionRunner&) = delete;

  // Passes the signal on, and starts no other process. Kills the process two seconds later, or at
  // the second call.
  void stop(int signal);
  // Whether its process has ended and no other one starts.
  bool has_ended() const { return has_ended_; }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  bool run_once();
  void watch(ChildProcess& child);
  int wait_ms(const Forwarder::Seen& seen) const;
  void show_output();
  void begin_call();
  std::string output_of_call();
  void report_end(const ChildProcess& child, const Forwarder::Seen& seen);
  bool pause();
  void wake() const;
  bool is_stopping();

  const FunctionOptions& options_;
  const std::function<void(std::string)> on_failure_;
  // Readable when there is something to look at. The forwarder uses it up to its end.
  const WakeUp wake_;
  std::mutex mutex_;
  int signal_ = 0;                              // to pass on; guarded by mutex_, like the next
  std::optional<Clock::time_point> killed_at_;  // set by stop()
  std::chrono::milliseconds pause_{0};
  std::atomic<bool> has_ended_{false};
  std::mutex output_mutex_;           // guards the next four; not locked by those who have mutex_
  std::array<int, 2> pipes_{-1, -1};  // of the process; -1: ended
  std::string tail_;                  // of the output of the last call
  OutputLines stdout_{1, tail_};
  OutputLines stderr_{2, tail_};
  Forwarder forwarder_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace stator
