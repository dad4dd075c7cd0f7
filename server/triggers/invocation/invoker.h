// Invoker: the operation Invoke of the Lambda API, for the functions of --function.
#pragma once

#include <string>
#include <utility>

#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "server/http/http_request.h"
#include "server/triggers/api/lambda_api.h"
#include "server/triggers/functions.h"
#include "server/triggers/invocation/async_event.h"
#include "server/triggers/invocation/function_caller.h"

namespace stator::triggers {

class Invoker {
 public:
  // All must outlive this.
  Invoker(const Functions& functions, const Settings& settings, Runtimes& runtimes,
          TakeEvent take_event)
      : functions_(functions),
        settings_(settings),
        take_event_(std::move(take_event)),
        caller_(runtimes) {}

  // Calls the function, and waits for its answer; an event that the client leaves is only taken.
  // `name` is what the request calls it. REQUIRES: the body is unpacked, `call.caller` signed the
  // request. Any thread that may wait for minutes, if it is not is_async_invocation().
  LambdaResponse answer(const HttpRequest& request, const std::string& name, Call& call,
                        StopCondition& stop_condition);
  // Ends all calls, now and later. From any thread.
  void end() { caller_.interrupt(); }

 private:
  LambdaResponse wait_for(AsyncEvent event, bool wants_log, StopCondition& stop_condition);

  const Functions& functions_;
  const Settings& settings_;
  const TakeEvent take_event_;
  FunctionCaller caller_;
};

}  // namespace stator::triggers
