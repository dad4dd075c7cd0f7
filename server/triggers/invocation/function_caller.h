// FunctionCaller: makes one call of a function, and waits for its end: a request to its server, or
// a call that its process fetches.
#pragma once

#include <mutex>
#include <unordered_set>
#include <variant>

#include "engine/call/work.h"
#include "server/triggers/invocation/async_event.h"
#include "server/triggers/invocation/function_call.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

using AnyCall = std::variant<WebCall, RuntimeCall>;

// The call of a function with an event, under a new id.
AnyCall call_of(const FunctionTarget& function, std::string_view function_arn,
                std::string request_id, std::string event);
AnyCall call_of(AsyncEvent event);

class FunctionCaller {
 public:
  // `runtimes` must outlive this.
  explicit FunctionCaller(Runtimes& runtimes) : runtimes_(runtimes) {}
  FunctionCaller(const FunctionCaller&) = delete;
  FunctionCaller& operator=(const FunctionCaller&) = delete;

  // Returns what a server of the Lambda API would answer, whatever the kind of the call. A call for
  // a process ends early when `stop_condition` says so. Any thread that may wait.
  WebAnswer make(const AnyCall& call, StopCondition* stop_condition = nullptr);
  // Ends calls in flight, and each later one at once. From any thread.
  void interrupt();

 private:
  class Listed;
  WebAnswer ask(const WebCall& call);

  Runtimes& runtimes_;
  std::mutex mutex_;
  bool is_interrupted_ = false;  // guarded by mutex_, like the next
  std::unordered_set<HttpConnection*> in_flight_;
};

}  // namespace stator::triggers
