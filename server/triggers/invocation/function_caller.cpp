#include "server/triggers/invocation/function_caller.h"

#include <exception>
#include <string>
#include <utility>

#include "server/triggers/mapping.h"
#include "server/triggers/runtimes/call_output.h"

namespace stator::triggers {

namespace {

// Longer answers end the call; they would fail anyway (kAnswerBytesMax).
constexpr std::size_t kReadBytesMax = std::size_t{64} << 20;

WebAnswer answer_of(RuntimeOutcome outcome) {
  using Kind = RuntimeOutcome::Kind;
  if (outcome.kind == Kind::NotReached) return tl::unexpected(HttpClientError{outcome.why});
  if (outcome.kind == Kind::Busy) return HttpClientResponse{429, std::move(outcome.why)};
  HttpClientResponse response{200, std::move(outcome.body)};
  response.fields.emplace_back("X-Amz-Executed-Version", "$LATEST");
  if (!outcome.output.empty())
    response.fields.emplace_back("X-Amz-Log-Result", pack_output(outcome.output));
  if (outcome.kind == Kind::FunctionError)
    response.fields.emplace_back("X-Amz-Function-Error", "Unhandled");
  return response;
}

}  // namespace

AnyCall call_of(const FunctionTarget& function, std::string_view function_arn,
                std::string request_id, std::string event) {
  if (function.kind != FunctionKind::Runtime)
    return function_call(function, function_arn, std::move(event));
  return RuntimeCall{function.name, std::string(function_arn), std::move(request_id),
                     std::move(event), function.timeout};
}

AnyCall call_of(AsyncEvent event) {
  AnyCall call = call_of(*event.target, event.function_arn, std::move(event.request_id),
                         std::move(event.event));
  if (auto* const fetched = std::get_if<RuntimeCall>(&call))
    fetched->client_context = std::move(event.client_context);
  return call;
}

// Lists the connection while it exists, so that interrupt() reaches it.
class FunctionCaller::Listed {
 public:
  Listed(FunctionCaller& caller, HttpConnection& connection)
      : caller_(caller), connection_(connection) {
    const std::scoped_lock lock(caller_.mutex_);
    caller_.in_flight_.insert(&connection_);
    if (caller_.is_interrupted_) connection_.interrupt();
  }
  ~Listed() {
    const std::scoped_lock lock(caller_.mutex_);
    caller_.in_flight_.erase(&connection_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  FunctionCaller& caller_;
  HttpConnection& connection_;
};

WebAnswer FunctionCaller::make(const AnyCall& call, StopCondition* stop_condition) {
  try {
    if (const auto* const web = std::get_if<WebCall>(&call)) return ask(*web);
    return answer_of(runtimes_.call(std::get<RuntimeCall>(call), stop_condition));
  } catch (const std::exception& error) {
    return tl::unexpected(HttpClientError{error.what()});
  }
}

WebAnswer FunctionCaller::ask(const WebCall& call) {
  HttpConnection connection(call.server, CertificateCheck::None);
  const Listed listed(*this, connection);
  return connection.ask({.path = call.path,
                         .fields = call.fields,
                         .body = call.body,
                         .method = "POST",
                         .response_bytes_max = kReadBytesMax});
}

void FunctionCaller::interrupt() {
  runtimes_.stop();
  const std::scoped_lock lock(mutex_);
  is_interrupted_ = true;
  for (HttpConnection* const connection : in_flight_) connection->interrupt();
}

}  // namespace stator::triggers
