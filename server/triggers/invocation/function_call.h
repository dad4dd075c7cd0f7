// The request that calls a function, and what the response says. No I/O.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "server/client/http_connection.h"
#include "server/options/trigger_options.h"
#include "server/triggers/batches/function_answer.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

// A POST to a URL of the command line.
struct WebCall {
  HealthOptions server;  // with the time that the call may take
  std::string path;
  std::vector<HttpField> fields;  // their names are constants
  std::string body;
};
using WebAnswer = tl::expected<HttpClientResponse, HttpClientError>;

HealthOptions server_of(const WebTarget& target, std::chrono::milliseconds timeout);
WebCall function_call(const FunctionTarget& function, std::string_view function_arn,
                      std::string event);
// The delivery of a message, which is JSON. REQUIRES: the sink has a target.
WebCall message_call(const FailureSink& sink, std::string message);

CallResult read_response(FunctionKind kind, const WebAnswer& answer);

}  // namespace stator::triggers
