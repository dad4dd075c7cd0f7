#include "server/triggers/api/lambda_api.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/call/scope.h"
#include "protocol/errors/error.h"
#include "protocol/json/json_reader.h"
#include "server/http/query_text.h"

namespace stator::triggers {

// {name} stands for one part of the path, which may be percent-encoded.
struct LambdaRoute {
  Method method;
  std::string_view path;
  std::string_view operation;
  bool changes_data;
  LambdaOperation* answer;  // nullptr: a call of a function
};

namespace {

constexpr std::string_view kNamePart = "{name}";
constexpr std::string_view kRuntimeApi = "/2018-06-01/runtime";
constexpr std::array<LambdaRoute, 12> kRoutes = {{
    {Method::Post, "/2015-03-31/event-source-mappings", "lambda:CreateEventSourceMapping", true,
     create_mapping},
    {Method::Get, "/2015-03-31/event-source-mappings", "lambda:ListEventSourceMappings", false,
     list_mappings},
    {Method::Get, "/2015-03-31/event-source-mappings/{name}", "lambda:GetEventSourceMapping", false,
     get_mapping},
    {Method::Put, "/2015-03-31/event-source-mappings/{name}", "lambda:UpdateEventSourceMapping",
     true, update_mapping},
    {Method::Delete, "/2015-03-31/event-source-mappings/{name}", "lambda:DeleteEventSourceMapping",
     true, delete_mapping},
    {Method::Get, "/2017-03-31/tags/{name}", "lambda:ListTags", false, list_tags},
    {Method::Post, "/2017-03-31/tags/{name}", "lambda:TagResource", true, tag_resource},
    {Method::Delete, "/2017-03-31/tags/{name}", "lambda:UntagResource", true, untag_resource},
    {Method::Get, "/2015-03-31/functions", "lambda:ListFunctions", false, list_functions},
    {Method::Get, "/2015-03-31/functions/{name}", "lambda:GetFunction", false, get_function},
    {Method::Get, "/2015-03-31/functions/{name}/configuration", "lambda:GetFunctionConfiguration",
     false, get_function_configuration},
    {Method::Post, "/2015-03-31/functions/{name}/invocations", "lambda:Invoke", false, nullptr},
}};

// Older SDKs send a slash at the end.
std::string_view plain_path(const HttpRequest& request) {
  std::string_view path = request.path();
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// The part of the path that stands for {name}, empty if the route has none; nullopt if the path is
// not the route's.
std::optional<std::string_view> name_in(const LambdaRoute& route, std::string_view path) {
  const std::size_t at = route.path.find(kNamePart);
  if (at == std::string_view::npos)
    return path == route.path ? std::optional(std::string_view()) : std::nullopt;
  const std::string_view after = route.path.substr(at + kNamePart.size());
  if (path.size() <= at + after.size() || !path.starts_with(route.path.substr(0, at)) ||
      !path.ends_with(after))
    return std::nullopt;
  const std::string_view name = path.substr(at, path.size() - at - after.size());
  return name.find('/') == std::string_view::npos ? std::optional(name) : std::nullopt;
}

const LambdaRoute* find_route(const HttpRequest& request) {
  const std::string_view path = plain_path(request);
  const Method method = request.method() == Method::Head ? Method::Get : request.method();
  const auto* const found = std::find_if(
      kRoutes.begin(), kRoutes.end(),
      [&](const LambdaRoute& route) { return route.method == method && name_in(route, path); });
  return found == kRoutes.end() ? nullptr : found;
}

bool has_body(const HttpRequest& request) {
  return request.method() != Method::Get && request.method() != Method::Head &&
         !request.body().empty();
}

}  // namespace

LambdaResponse lambda_response_to(const Error& error) {
  const ErrorInfo& info = error_info(error.code());
  return lambda_response_to(LambdaError{.status = info.http_status,
                                        .code = info.name,
                                        .message = error.message(),
                                        .form = LambdaErrorForm::Bare});
}

LambdaResponse lambda_response_to(LambdaError error) {
  LambdaResponse response{.status = error.status, .body = error.render()};
  response.error_type = error.code;
  response.message = std::move(error.message);
  return response;
}

bool LambdaApi::has_path(const HttpRequest& request) {
  constexpr std::string_view kForm = "/dddd-dd-dd/";
  const std::string_view path = request.path();
  if (path.size() < kForm.size() || path.starts_with(kRuntimeApi)) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = path[i] >= '0' && path[i] <= '9';
    if (kForm[i] == 'd' ? !is_digit : path[i] != kForm[i]) return false;
  }
  return true;
}

std::string_view LambdaApi::operation_of(const HttpRequest& request) {
  const LambdaRoute* const route = find_route(request);
  return route == nullptr ? "lambda" : route->operation;
}

bool LambdaApi::has_operation(const HttpRequest& request) { return find_route(request) != nullptr; }

bool LambdaApi::changes_data(const HttpRequest& request) {
  const LambdaRoute* const route = find_route(request);
  return route != nullptr && route->changes_data;
}

std::optional<std::string> LambdaApi::invoked_function(const HttpRequest& request) {
  const LambdaRoute* const route = find_route(request);
  if (route == nullptr || route->answer != nullptr) return {};
  return percent_decoded(*name_in(*route, plain_path(request)));
}

LambdaResponse LambdaApi::answer(HttpRequest& request, Call& call) {
  const LambdaRoute* const route = find_route(request);
  if (route == nullptr || route->answer == nullptr)
    return lambda_response_to(unknown_lambda_operation().value());
  std::optional<JsonNode> body;
  if (has_body(request)) {
    body = read_json(request.body(), call.arena);
    if (!body || body->kind() != JsonNode::Kind::Object)
      return lambda_response_to(
          unreadable_body("Could not parse request body into json: it is no JSON object").value());
  }
  const std::scoped_lock lock(mutex_);
  const LambdaCall asked{.parts = parts_,
                         .random = random_,
                         .reader = reader_,
                         .region = call.caller.region,
                         .scope = scope_of(call, call.arena),
                         .query = request.query(),
                         .name = percent_decoded(*name_in(*route, plain_path(request))),
                         .body = body ? &*body : nullptr};
  auto answer = route->answer(asked);
  if (!answer) return lambda_response_to(std::move(answer).error());
  return {.status = answer->status, .body = std::move(answer->body)};
}

}  // namespace stator::triggers
