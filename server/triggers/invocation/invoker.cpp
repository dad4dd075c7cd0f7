#include "server/triggers/invocation/invoker.h"

#include <chrono>
#include <utility>

#include "engine/call/scope.h"
#include "engine/seams/random.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/http/query_text.h"
#include "server/triggers/api/function_name.h"
#include "server/triggers/invocation/call_log.h"
#include "server/triggers/invocation/invocation_request.h"
#include "server/triggers/runtimes/call_output.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator::triggers {

namespace {

LambdaRefusal wrong_name(const std::string& name) {
  ConstraintList violations;
  violations.add("functionName", name,
                 std::string("Member must satisfy regular expression pattern: ")
                     .append(function_name_pattern()));
  return violations.refusal();
}

bool is_object(std::string text) {
  Arena arena;
  const auto json = read_json(text, arena);
  return json && json->kind() == JsonNode::Kind::Object;
}

// The payload of a failed call: what the function sent, or an object that says what happened.
std::string error_payload(CallResult result) {
  if (is_object(result.body)) return std::move(result.body);
  const bool is_late = result.status == 0;
  return error_object(is_late ? "Sandbox.Timedout" : "Runtime.Unknown", result.why);
}

LambdaResponse response_of(CallResult result) {
  constexpr unsigned kThrottled = 429;
  if (result.kind == CallResult::Kind::ServiceError)
    return lambda_response_to(
        result.status == kThrottled
            ? too_many_requests("Rate Exceeded.").value()
            : function_not_ready("The function is not reached: " + result.why).value());
  LambdaResponse response;
  const std::string_view version = result.executed_version;
  response.headers.append("X-Amz-Executed-Version: ")
      .append(version.empty() ? "$LATEST" : version)
      .append("\r\n");
  if (result.kind == CallResult::Kind::FunctionError) {
    response.headers.append("X-Amz-Function-Error: ").append(result.error).append("\r\n");
    response.body = error_payload(std::move(result));
  } else {
    response.body = std::move(result.body);
  }
  return response;
}

// `Qualifier` of the query.
std::string qualifier_of(const HttpRequest& request) {
  std::string found;
  for_each_parameter(request.query(), [&found](std::string_view name, std::string_view value) {
    if (name == "Qualifier") found = percent_decoded(value);
    return true;
  });
  return found;
}

}  // namespace

LambdaResponse Invoker::answer(const HttpRequest& request, const std::string& name, Call& call,
                               StopCondition& stop_condition) {
  std::string full_name = name;
  const std::string qualifier = qualifier_of(request);
  if (!qualifier.empty()) full_name.append(":").append(qualifier);
  const auto parsed = parse_function_name(full_name);
  if (!parsed) return lambda_response_to(wrong_name(full_name).value());
  std::string arn = parsed->arn(call.caller.region, settings_.account_id);
  const FunctionTarget* const function = functions_.find(parsed->name);
  if (function == nullptr)
    return lambda_response_to(source_not_found("Function not found: " + arn).value());
  auto asked = read_invocation(request);
  if (!asked) return lambda_response_to(std::move(asked).error());
  AsyncEvent event{function,
                   std::string(scope_of(call, call.arena)),
                   std::move(arn),
                   SystemRandom().uuid(),
                   std::move(asked->event),
                   std::move(asked->client_context)};
  switch (asked->type) {
    case InvocationType::DryRun:
      return {.status = 204, .body = {}};
    case InvocationType::Event:
      if (take_event_(std::move(event))) return {.status = 202, .body = {}};
      return lambda_response_to(too_many_requests("Rate Exceeded.").value());
    case InvocationType::RequestResponse:
      break;
  }
  return wait_for(std::move(event), asked->wants_log, stop_condition);
}

LambdaResponse Invoker::wait_for(AsyncEvent event, bool wants_log, StopCondition& stop_condition) {
  const auto began = std::chrono::steady_clock::now();
  const FunctionKind kind = event.target->kind;
  const std::string id = event.request_id;
  CallResult result = read_response(kind, caller_.make(call_of(std::move(event)), &stop_condition));
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began);
  const bool has_called = result.kind != CallResult::Kind::ServiceError;
  const std::string log = has_called && wants_log ? call_log(id, result.log, took) : std::string();
  LambdaResponse response = response_of(std::move(result));
  if (!log.empty())
    response.headers.append("X-Amz-Log-Result: ").append(pack_output(log)).append("\r\n");
  return response;
}

}  // namespace stator::triggers
