#include "server/triggers/invocation/invoker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/seams/random.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"
#include "server/http/query_text.h"
#include "server/triggers/api/function_name.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator::triggers {

namespace {

constexpr std::size_t kPayloadBytesMax = 6'291'456;
constexpr std::size_t kClientContextBytesMax = 3'583;  // in Base64
constexpr std::string_view kRequestResponse = "RequestResponse";
constexpr std::string_view kDryRun = "DryRun";

LambdaRefusal wrong_name(const std::string& name) {
  ConstraintList violations;
  violations.add("functionName", name,
                 std::string("Member must satisfy regular expression pattern: ")
                     .append(function_name_pattern()));
  return violations.refusal();
}

bool is_json(std::string text) {
  Arena arena;
  return read_json(text, arena).has_value();
}

// A header of the runtime has it, so it has one line.
LambdaResult<std::string> client_context_of(const HttpRequest& request) {
  const std::string_view packed = request.header(Header::XAmzClientContext);
  if (packed.empty()) return {};
  std::string context;
  Arena arena;
  if (packed.size() <= kClientContextBytesMax && check_base64(packed) == Base64Error::None)
    context = decode_base64(packed, arena);
  const bool has_control = std::any_of(context.begin(), context.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  if (has_control || !is_json(context))
    return unreadable_body("Client context must be a valid Base64-encoded JSON object.");
  return context;
}

// The event of the call; empty for a request that only asks whether it could be made.
LambdaResult<std::optional<std::string>> event_of_request(const HttpRequest& request) {
  const std::string_view type = request.header(Header::XAmzInvocationType);
  if (!type.empty() && type != kRequestResponse && type != kDryRun)
    return invalid_value(
        "This server calls functions with the invocation types RequestResponse and DryRun alone.");
  const std::string& body = request.body();
  if (body.size() > kPayloadBytesMax) return too_large_payload(body.size(), kPayloadBytesMax);
  if (!body.empty() && !is_json(body))
    return unreadable_body("Could not parse request body into json: it is no JSON");
  if (type == kDryRun) return std::nullopt;
  return body.empty() ? std::string("{}") : body;
}

// The payload of a failed call: what the function sent, or an object that says what happened.
std::string error_payload(CallResult result) {
  const bool has_object = result.body.starts_with('{') && is_json(result.body);
  if (has_object) return std::move(result.body);
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

LambdaResponse Invoker::answer(const HttpRequest& request, const std::string& name,
                               const Call& call, StopCondition& stop_condition) {
  std::string full_name = name;
  const std::string qualifier = qualifier_of(request);
  if (!qualifier.empty()) full_name.append(":").append(qualifier);
  const auto parsed = parse_function_name(full_name);
  if (!parsed) return lambda_response_to(wrong_name(full_name).value());
  const std::string arn = parsed->arn(call.caller.region, settings_.account_id);
  const FunctionTarget* const function = functions_.find(parsed->name);
  if (function == nullptr)
    return lambda_response_to(source_not_found("Function not found: " + arn).value());
  auto event = event_of_request(request);
  if (!event) return lambda_response_to(std::move(event).error());
  auto context = client_context_of(request);
  if (!context) return lambda_response_to(std::move(context).error());
  if (!event->has_value()) return {.status = 204, .body = {}};
  AnyCall made = call_of(*function, arn, SystemRandom().uuid(), std::move(**event));
  if (auto* const fetched = std::get_if<RuntimeCall>(&made))
    fetched->client_context = *std::move(context);
  return response_of(read_response(function->kind, caller_.make(made, &stop_condition)));
}

}  // namespace stator::triggers
