// LambdaApi: the operations of AWS Lambda that this server has, by method and path, on the port of
// the AWS API. The dispatcher checks signatures and calls it on a lane, because changes wait for a
// commit.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "server/http/http_request.h"
#include "server/triggers/api/lambda_call.h"

namespace stator::triggers {

struct LambdaRoute;

// A response as the dispatcher sends it.
struct LambdaResponse {
  std::uint16_t status = 200;
  std::string body;
  std::string error_type = {};  // x-amzn-ErrorType; empty on success
  std::string message = {};     // of the error
  std::string headers = {};     // more of them, whole lines
};

// The response to an error of the signed API's front end, such as a missing signature.
LambdaResponse lambda_response_to(const Error& error);
LambdaResponse lambda_response_to(LambdaError error);

class LambdaApi {
 public:
  explicit LambdaApi(const LambdaParts& parts) : parts_(parts), reader_(parts.engine) {}

  // Whether the path is one of Lambda's: /YYYY-MM-DD/…, but not the Runtime API.
  static bool has_path(const HttpRequest& request);
  // "lambda:CreateEventSourceMapping", or "lambda" for an unknown operation. Lives as long as
  // the program.
  static std::string_view operation_of(const HttpRequest& request);
  static bool has_operation(const HttpRequest& request);
  // Whether the operation changes data.
  static bool changes_data(const HttpRequest& request);

  // The function that the request asks to call, decoded; empty if it asks for something else. Then
  // answer() is not for it, but Invoker.
  static std::optional<std::string> invoked_function(const HttpRequest& request);

  // REQUIRES: the body is unpacked, `caller` signed the request. Any thread that may wait; one
  // request at a time runs, others wait for it. Parses the body in place into `call.arena`.
  LambdaResponse answer(HttpRequest& request, Call& call);

 private:
  LambdaParts parts_;
  std::mutex mutex_;
  SystemRandom random_;
  Engine::Reader reader_;
};

}  // namespace stator::triggers
