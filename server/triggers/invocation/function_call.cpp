#include "server/triggers/invocation/function_call.h"

#include <chrono>
#include <optional>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/http/query_text.h"
#include "server/triggers/mapping.h"
#include "server/triggers/runtimes/call_output.h"

namespace stator::triggers {

namespace {

// What the service's own errors may say before the function ran.
constexpr unsigned kNotFound = 404;
constexpr unsigned kTooMany = 429;

// Without a path the server has the paths of the Lambda API.
std::string path_of(const FunctionTarget& function, std::string_view function_arn) {
  constexpr std::string_view kInvocations = "/invocations";
  std::string path = function.target.path;
  if (path.empty())
    path.append("/2015-03-31/functions/")
        .append(function_name_of(function_arn))
        .append(kInvocations);
  const std::string_view qualifier = function_qualifier_of(function_arn);
  const bool takes_qualifier = function.kind == FunctionKind::Api && path.ends_with(kInvocations);
  if (takes_qualifier && !qualifier.empty())
    path.append("?Qualifier=").append(percent_encoded(qualifier));
  return path;
}

// The text of an error object, {"errorType":…,"errorMessage":…}; empty if the body is none.
std::optional<std::string> error_text(const std::string& body) {
  std::string text = body;
  Arena arena;
  const auto json = read_json(text, arena);
  if (!json || json->kind() != JsonNode::Kind::Object) return {};
  const JsonNode* const type = json->find("errorType");
  const JsonNode* const message = json->find("errorMessage");
  if (message == nullptr || message->kind() != JsonNode::Kind::String) return {};
  if (type == nullptr || type->kind() != JsonNode::Kind::String) return {};
  std::string error(type->text());
  return error.append(": ").append(message->text());
}

CallResult failed_call(CallResult result, std::string why) {
  result.kind = CallResult::Kind::FunctionError;
  if (result.error.empty()) result.error = "Unhandled";
  result.why = std::move(why);
  return result;
}

CallResult refused_call(CallResult result, std::string why) {
  result.kind = CallResult::Kind::ServiceError;
  result.why = std::move(why);
  return result;
}

CallResult no_answer(const HttpClientError& error) {
  if (error.is_late) return failed_call({}, "Task timed out: " + error.why);
  return refused_call({}, error.why);
}

}  // namespace

HealthOptions server_of(const WebTarget& target, std::chrono::milliseconds timeout) {
  HealthOptions server;
  server.is_tls = target.is_tls;
  server.host = target.host;
  server.port = target.port;
  server.timeout = timeout;
  return server;
}

WebCall function_call(const FunctionTarget& function, std::string_view function_arn,
                      std::string event) {
  return {server_of(function.target, function.timeout),
          path_of(function, function_arn),
          {{"Content-Type", "application/json"}, {"X-Amz-Invocation-Type", "RequestResponse"}},
          std::move(event)};
}

CallResult read_response(FunctionKind kind, const WebAnswer& answer) {
  if (!answer) return no_answer(answer.error());
  CallResult result;
  result.status = answer->status;
  result.body = answer->body;
  result.error = answer->field("X-Amz-Function-Error");
  result.executed_version = answer->field("X-Amz-Executed-Version");
  result.log = unpack_output(answer->field("X-Amz-Log-Result"));
  const auto error = error_text(result.body);
  const std::string status = "status " + std::to_string(result.status);
  if (!result.error.empty()) return failed_call(result, error.value_or(result.error));
  const bool is_gateway_error = result.status >= 502 && result.status <= 504;
  if (result.status == kNotFound || result.status == kTooMany || (is_gateway_error && !error))
    return refused_call(result, status);
  // A redirect is not followed, so no function has answered.
  if (result.status >= 300 && result.status < 400)
    return refused_call(result, status + ", a redirect, is not followed");
  if (result.status >= 400) return failed_call(result, error.value_or(status));
  if (result.body.size() > kAnswerBytesMax)
    return failed_call(result, "Function.ResponseSizeTooLarge: the answer has " +
                                   std::to_string(result.body.size()) + " bytes");
  if (kind == FunctionKind::Emulator) {
    if (error) return failed_call(result, *error);
    if (result.body.starts_with("Task timed out after ")) return failed_call(result, result.body);
  }
  return result;
}

}  // namespace stator::triggers
