// Dispatcher: requests to the Lambda API. Lanes run them, because changes wait for a commit, and
// calls for functions.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "server/dispatch/auth.h"
#include "server/dispatch/dispatcher.h"
#include "server/dispatch/unpacked_body.h"
#include "server/triggers/api/lambda_api.h"
#include "server/triggers/invocation/invocation_request.h"
#include "server/triggers/invocation/invoker.h"

namespace stator {

namespace {

constexpr std::string_view kNeedsToken =
    "with --auth iam, the Lambda API needs this server's token in the header x-stator-token";

// The body, or of a request without one its method and path, which say what it asks for.
std::string asked_of(const HttpRequest& request, std::size_t bytes_max) {
  if (!request.body().empty()) return request.body().substr(0, bytes_max);
  std::string line(method_name(request.method()));
  return line.append(" ").append(request.path());
}

}  // namespace

bool Dispatcher::is_for_lambda(const HttpRequest& request) const {
  return lambda_.api != nullptr && triggers::LambdaApi::has_path(request);
}

Dispatcher::Step Dispatcher::begin_lambda(const HttpRequest& request) const {
  if (lambda_.invoker != nullptr && triggers::LambdaApi::invoked_function(request))
    return triggers::is_async_invocation(request) ? Step::NeedsAdminRead : Step::NeedsFunction;
  return triggers::LambdaApi::changes_data(request) ? Step::NeedsAdmin : Step::NeedsAdminRead;
}

Dispatcher::Step Dispatcher::serve_lambda(HttpRequest& request, Exchange& exchange,
                                          StopCondition& stop_condition) {
  const auto respond = [&]() -> Result<triggers::LambdaResponse> {
    // Policies about Lambda are not evaluated, so with access control the API is for those who may
    // use the admin path.
    const bool is_open = access_ == nullptr || writer_.origins().has_token(request);
    if (!is_open && access_->enforces())
      return Error(ErrorCode::AccessDenied, std::string(kNeedsToken));
    if (!is_open) STATOR_CHECK(verify(request, exchange, kLambdaService));
    STATOR_CHECK(unpack_body(request));
    Call& call = exchange.call;
    if (recent_ != nullptr) {  // before parsing overwrites it
      exchange.asked = asked_of(request, options_.explain_bytes);
      exchange.body_bytes = std::max(request.body().size(), exchange.asked.size());
    }
    call.settings = &options_.settings;
    std::optional<Timestamp> now;
    if (options_.checks_signature_age) now = clock_.now();
    STATOR_TRY(call.caller, authenticate(request, now, call.arena, kLambdaService));
    if (is_dry_run(request))
      return Error::validation("x-stator-dry-run works for operations on items only");
    const auto function =
        lambda_.invoker != nullptr ? triggers::LambdaApi::invoked_function(request) : std::nullopt;
    if (function) return lambda_.invoker->answer(request, *function, call, stop_condition);
    return lambda_.api->answer(request, call);
  };
  auto responded = respond();
  if (responded && !triggers::LambdaApi::has_operation(request))
    log_.unknown_lambda_operation(method_name(request.method()), request.path());
  triggers::LambdaResponse response =
      responded ? *std::move(responded) : triggers::lambda_response_to(responded.error());
  std::string headers = std::move(response.headers);
  if (!response.error_type.empty())
    headers.append("x-amzn-ErrorType: ").append(response.error_type).append("\r\n");
  const bool has_no_body = response.status != 200 && response.body.empty();
  exchange.call.memory.take(response.body.capacity());
  exchange.call.reply = std::move(response.body);
  answer(request, exchange,
         {.status = response.status,
          .content_type = has_no_body ? "" : "application/json",
          .body = exchange.call.reply,
          .more_headers = headers,
          .body_stays = true,
          .closes = exchange.closes});
  record_lambda(request, exchange, response);
  return Step::Answered;
}

void Dispatcher::record_lambda(const HttpRequest& request, const Exchange& exchange,
                               const triggers::LambdaResponse& response) {
  if (recent_ == nullptr) return;
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  CompletedRequest what = answered(request, exchange, nullptr, took, writer_.last_request_id());
  what.operation = triggers::LambdaApi::operation_of(request);
  what.status = response.status;
  what.other_error = {response.error_type, response.message};
  record(request, what);
}

}  // namespace stator
