#include "server/triggers/runtimes/runtime_api.h"

#include <array>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "engine/seams/clock.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"
#include "protocol/text/utf8.h"
#include "server/http/header_text.h"
#include "server/log/log.h"
#include "server/triggers/runtimes/call_output.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator::triggers {

namespace {

constexpr std::string_view kPrefix = "/_stator/function/";
constexpr std::string_view kVersion = "/2018-06-01/runtime/";
constexpr std::string_view kInvocation = "invocation/";
constexpr std::string_view kAccepted = "{\"status\":\"OK\"}\n";
// What the log shows of an error.
constexpr std::size_t kLoggedBytesMax = 500;

RuntimeReply refuse(std::uint16_t status, std::string_view type, std::string_view message) {
  return {status, error_object(type, message)};
}

// The states are those of the service's own state machine.
RuntimeReply out_of_turn(std::string_view from, std::string_view to) {
  std::string message("State transition from ");
  message.append(from).append(" to ").append(to).append(
      " failed for runtime. Error: State transition is not allowed");
  return refuse(403, "InvalidStateTransition", message);
}

bool is_response_mode(std::string_view mode) {
  return mode.empty() || equals_ignoring_case(mode, "buffered") ||
         equals_ignoring_case(mode, "streaming");
}

// The error object that a process sends; one of its type if what it sends is none.
std::string error_of(std::string body, std::string_view type) {
  std::string text = body;
  Arena arena;
  const auto json = read_json(text, arena);
  if (json && json->kind() == JsonNode::Kind::Object) return body;
  const std::string_view shown =
      is_valid_utf8(body) ? utf8_prefix(body, kLoggedBytesMax) : std::string_view();
  return error_object(type.empty() ? "Runtime.Unknown" : type, shown);
}

RuntimeOutcome result_of(const RuntimePath& path, HttpRequest& request) {
  using Kind = RuntimeOutcome::Kind;
  if (request.body().size() > kAnswerBytesMax)
    return {Kind::FunctionError, size_error(request.body().size())};
  if (path.action == RuntimeAction::Error)
    return {Kind::FunctionError, error_of(std::move(request.body()),
                                          request.header(Header::LambdaRuntimeFunctionErrorType))};
  if (auto error = error_in_trailer(request)) return {Kind::FunctionError, *std::move(error)};
  return {Kind::Answered, std::move(request.body())};
}

RuntimeOutcome outcome_of(const RuntimePath& path, HttpRequest& request) {
  RuntimeOutcome outcome = result_of(path, request);
  outcome.output = unpack_output(request.header(Header::XStatorLog));
  return outcome;
}

RuntimeReply reply_to(Delivery delivered, RuntimeAction action, bool is_too_large) {
  switch (delivered) {
    case Delivery::UnknownId:
      return refuse(400, "InvalidRequestID", "Invalid request ID");
    case Delivery::Repeated:
      return out_of_turn("RuntimeResponseSentState", action == RuntimeAction::Error
                                                         ? "InvocationErrorResponse"
                                                         : "InvocationResponse");
    case Delivery::Taken:
      break;
  }
  if (!is_too_large) return {202, std::string(kAccepted)};
  return refuse(
      413, "RequestEntityTooLarge",
      "Exceeded maximum allowed payload size (" + std::to_string(kAnswerBytesMax) + " bytes).");
}

RuntimeReply take_init_error(Runtimes& runtimes, std::string_view function, HttpRequest& request) {
  std::string error =
      error_of(std::move(request.body()), request.header(Header::LambdaRuntimeFunctionErrorType));
  std::string line("function ");
  line.append(function.empty() ? "some function" : function).append(": cannot start: ");
  log::warn(line.append(utf8_prefix(error, kLoggedBytesMax)));
  if (!function.empty()) runtimes.fail_start(function, std::move(error));
  return {202, std::string(kAccepted)};
}

}  // namespace

std::optional<std::string> error_in_trailer(const HttpRequest& request) {
  const std::string_view type = request.trailer("lambda-runtime-function-error-type");
  if (type.empty()) return {};
  const std::string_view packed = request.trailer("lambda-runtime-function-error-body");
  Arena arena;
  std::string body;
  if (check_base64(packed) == Base64Error::None) body = decode_base64(packed, arena);
  return error_of(std::move(body), type);
}

RuntimePath runtime_path(const HttpRequest& request) {
  RuntimePath path;
  std::string_view rest = request.path();
  if (rest.starts_with(kPrefix)) {
    rest.remove_prefix(kPrefix.size());
    path.function = rest.substr(0, rest.find('/'));
    rest.remove_prefix(path.function.size());
  }
  if (!rest.starts_with(kVersion)) return path;
  rest.remove_prefix(kVersion.size());
  const bool is_post = request.method() == Method::Post;
  if (rest == "invocation/next" && request.method() == Method::Get)
    path.action = RuntimeAction::Next;
  if (rest == "init/error" && is_post) path.action = RuntimeAction::InitError;
  if (!rest.starts_with(kInvocation) || !is_post) return path;
  rest.remove_prefix(kInvocation.size());
  path.request_id = rest.substr(0, rest.find('/'));
  rest.remove_prefix(path.request_id.size());
  if (rest == "/response") path.action = RuntimeAction::Response;
  if (rest == "/error") path.action = RuntimeAction::Error;
  return path;
}

std::string_view runtime_function(const Runtimes& runtimes, const RuntimePath& path) {
  if (path.function.empty()) return runtimes.only_one();
  return runtimes.has(path.function) ? path.function : std::string_view();
}

RuntimeReply answer_runtime(Runtimes& runtimes, const RuntimePath& path, HttpRequest& request) {
  const std::string_view function = runtime_function(runtimes, path);
  const bool is_bare_init = path.action == RuntimeAction::InitError && path.function.empty();
  if (path.action == RuntimeAction::Unknown)
    return refuse(404, "PageNotFound", "There is nothing at this path.");
  if (function.empty() && !is_bare_init) return no_such_function();
  if (path.action == RuntimeAction::InitError) return take_init_error(runtimes, function, request);
  if (!is_response_mode(request.header(Header::LambdaRuntimeFunctionResponseMode)))
    return refuse(400, "InvalidFunctionResponseMode",
                  "The header Lambda-Runtime-Function-Response-Mode is streaming, or absent.");
  const bool is_too_large = request.body().size() > kAnswerBytesMax;
  return reply_to(
      runtimes.finish(function, std::string(path.request_id), outcome_of(path, request)),
      path.action, is_too_large);
}

RuntimeReply poll_out_of_turn() { return out_of_turn("Running", "Ready"); }

RuntimeReply no_such_function() {
  return refuse(404, "FunctionNotFound",
                "No --function NAME of this server is meant by this path: see "
                "docs/coming-from/lambda-triggers.md.");
}

RuntimeReply refuse_long_response(Runtimes& runtimes, const RuntimePath& path, std::size_t bytes) {
  const std::string_view function = runtime_function(runtimes, path);
  if (function.empty()) return no_such_function();
  return reply_to(runtimes.finish(function, std::string(path.request_id),
                                  {RuntimeOutcome::Kind::FunctionError, size_error(bytes)}),
                  path.action, true);
}

std::string event_headers(const RuntimeEvent& event) {
  const std::int64_t seconds = SystemClock().now().unix_s();
  // The digits of the request's id are random, too.
  std::string digits;
  for (const char c : event.request_id) {
    if (hex_digit(c) >= 0 && digits.size() < 24) digits += c;
  }
  std::array<char, 128> trace{};
  const int size =
      std::snprintf(trace.data(), trace.size(), "Root=1-%08llx-%s;Parent=%016llx;Sampled=0",
                    static_cast<unsigned long long>(seconds & 0xFFFFFFFF), digits.c_str(),
                    static_cast<unsigned long long>(std::hash<std::string>{}(event.request_id)));
  std::string lines("Lambda-Runtime-Aws-Request-Id: ");
  lines.append(event.request_id)
      .append("\r\nLambda-Runtime-Deadline-Ms: ")
      .append(std::to_string(event.deadline_ms))
      .append("\r\nLambda-Runtime-Invoked-Function-Arn: ")
      .append(event.function_arn)
      .append("\r\nLambda-Runtime-Trace-Id: ")
      .append(trace.data(), static_cast<std::size_t>(size))
      .append("\r\n");
  if (!event.client_context.empty())
    lines.append("Lambda-Runtime-Client-Context: ").append(event.client_context).append("\r\n");
  return lines;
}

}  // namespace stator::triggers
