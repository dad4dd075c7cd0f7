// The request of Invoke: what it asks for, and what is wrong with it.
#pragma once

#include <cstdint>
#include <string>

#include "server/http/http_request.h"
#include "server/triggers/api/lambda_error.h"

namespace stator::triggers {

enum class InvocationType : std::uint8_t {
  RequestResponse,
  Event,   // the client does not wait for the answer
  DryRun,  // asks only whether the call could be made
};

struct InvocationRequest {
  InvocationType type = InvocationType::RequestResponse;
  bool wants_log = false;
  std::string event;           // JSON
  std::string client_context;  // JSON on one line; empty: none
};

// Whether the client does not wait for the answer.
bool is_async_invocation(const HttpRequest& request);

LambdaResult<InvocationRequest> read_invocation(const HttpRequest& request);

}  // namespace stator::triggers
