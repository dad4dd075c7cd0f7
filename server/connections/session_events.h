// What a session does for the poll of the Runtime API: it waits for the call of a function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/connections/session_class.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator {

// Waits without limit for the call of a function, with little memory: the exchange is returned
// meanwhile. Returns an empty step if the connection ends.
template <class Stream>
Task<std::optional<Dispatcher::Step>> Session<Stream>::await_event(
    HttpRequest& request, std::unique_ptr<Exchange>& exchange) {
  Dispatcher& dispatcher = worker_.dispatcher();
  if (hold_ != nullptr && hold_->is_running()) co_return dispatcher.refuse_poll(request, *exchange);
  hold_.reset();
  if (worker_.is_stopping()) co_return std::nullopt;
  const bool closes = exchange->closes;
  worker_.give_back(std::move(exchange));
  buffer_.shrink();
  std::string{}.swap(request.body());
  const std::string function = dispatcher.polled_function(request);
  poll_ = SessionPoll::make(worker_, dispatcher.runtimes(), function);
  is_between_requests_ = true;
  idle_order_ = kNotIdle;
  if constexpr (kIsLine) {
    co_await poll_->done(nullptr);  // the line says when its client leaves
  } else {
    co_await poll_->done(&stream_.lowest_layer());
  }
  stop_waiting();
  auto event = poll_->take();
  poll_.reset();
  if (!event) co_return std::nullopt;
  // A client that closes the connection after each request says nothing by that.
  if (!closes) {
    hold_ =
        std::make_unique<triggers::RuntimeHold>(dispatcher.runtimes(), function, event->request_id);
    hold_deadline_ = worker_.deadline_after(event->time_left());
  }
  exchange = worker_.take_exchange();
  exchange->closes = closes || worker_.is_stopping();
  co_return dispatcher.answer_event(request, *exchange, *std::move(event));
}

}  // namespace stator
