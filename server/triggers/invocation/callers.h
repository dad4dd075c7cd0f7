// Callers: threads that make calls. They start when they are needed, and each makes one call at a
// time, so a slow function stops no other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "server/triggers/invocation/function_caller.h"

namespace stator::triggers {

inline constexpr std::size_t kCallersMax = 64;

class Callers {
 public:
  // `take_answer` gets the answer of each call, on a thread of this. It must not wait for this.
  using TakeAnswer = std::function<void(std::uint64_t id, WebAnswer answer)>;
  // `runtimes` must outlive this.
  Callers(Runtimes& runtimes, TakeAnswer take_answer)
      : caller_(runtimes), take_answer_(std::move(take_answer)) {}
  // Interrupts calls in flight, which still end. Waits for the threads.
  ~Callers();
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  // Queues a call. From any thread.
  void start(std::uint64_t id, AnyCall call);

 private:
  struct Job {
    std::uint64_t id;
    AnyCall call;
  };
  void run();

  FunctionCaller caller_;
  const TakeAnswer take_answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;  // guarded by mutex_, like the rest
  std::deque<Job> jobs_;
  std::size_t idle_ = 0;  // threads that wait for a job
  std::vector<std::thread> threads_;
};

}  // namespace stator::triggers
