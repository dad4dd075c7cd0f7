// AsyncEvent: an event that a client leaves for a function, without waiting for the answer.
#pragma once

#include <functional>
#include <string>

#include "server/options/trigger_options.h"

namespace stator::triggers {

struct AsyncEvent {
  const FunctionTarget* target = nullptr;  // outlives it
  std::string scope;                       // of the caller (engine/call/scope.h)
  std::string function_arn;
  std::string request_id;  // the same for each attempt
  std::string event;
  std::string client_context;  // JSON on one line; empty: none
};

// Returns false if there is no room for the event. From any thread.
using TakeEvent = std::function<bool(AsyncEvent event)>;

}  // namespace stator::triggers
