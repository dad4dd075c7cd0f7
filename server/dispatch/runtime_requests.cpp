// Dispatcher: the Runtime API, by which processes of functions fetch their calls. It is as open as
// the admin path (server/http/origin_policy.h) and unsigned, because its clients do not sign.

#include <string>
#include <utility>

#include "protocol/service/limits.h"
#include "server/dispatch/dispatcher.h"
#include "server/triggers/runtimes/runtime_api.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator {

namespace {

constexpr std::string_view kRuntimeJson = "application/json";

}  // namespace

Dispatcher::Step Dispatcher::begin_runtime(HttpRequest& request, Exchange& exchange) {
  triggers::Runtimes& runtimes = *lambda_.runtimes;
  const auto path = triggers::runtime_path(request);
  const bool is_poll = path.action == triggers::RuntimeAction::Next;
  if (is_poll && !triggers::runtime_function(runtimes, path).empty()) return Step::NeedsEvent;
  auto [status, body] =
      is_poll ? triggers::no_such_function() : triggers::answer_runtime(runtimes, path, request);
  answer_runtime(request, exchange, status, std::move(body));
  return Step::Answered;
}

void Dispatcher::answer_runtime(const HttpRequest& request, Exchange& exchange,
                                std::uint16_t status, std::string body) {
  exchange.call.reply = std::move(body);
  answer(request, exchange,
         {.status = status,
          .content_type = kRuntimeJson,
          .body = exchange.call.reply,
          .body_stays = true,
          .closes = exchange.closes});
}

std::string Dispatcher::polled_function(const HttpRequest& request) const {
  return std::string(
      triggers::runtime_function(*lambda_.runtimes, triggers::runtime_path(request)));
}

Dispatcher::Step Dispatcher::answer_event(const HttpRequest& request, Exchange& exchange,
                                          triggers::RuntimeEvent event) {
  exchange.started = std::chrono::steady_clock::now();
  const std::string headers = triggers::event_headers(event);
  if (!exchange.call.memory.try_take(event.event.capacity())) return Step::NoMemory;
  exchange.call.reply = std::move(event.event);
  answer(request, exchange,
         {.content_type = kRuntimeJson,
          .body = exchange.call.reply,
          .more_headers = headers,
          .body_stays = true,
          .closes = exchange.closes});
  return Step::Answered;
}

Dispatcher::Step Dispatcher::refuse_poll(const HttpRequest& request, Exchange& exchange) {
  auto [status, body] = triggers::poll_out_of_turn();
  answer_runtime(request, exchange, status, std::move(body));
  return Step::Answered;
}

bool Dispatcher::refuse_long_response(const HttpRequest& request, std::string& out) {
  if (!is_for_runtime(request)) return false;
  const auto path = triggers::runtime_path(request);
  if (path.action != triggers::RuntimeAction::Response) return false;
  const auto [status, body] =
      triggers::refuse_long_response(*lambda_.runtimes, path, limits::kRequestBodyBytesMax);
  const auto rest = writer_.write(
      request, {.status = status, .content_type = kRuntimeJson, .body = body, .closes = true}, out);
  out.append(rest);
  return true;
}

}  // namespace stator
