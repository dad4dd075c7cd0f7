// What a session does for faults on demand: delays, and answers that do not come.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>

#include "server/connections/session_class.h"

namespace stator {

// How often a pause looks whether its client is still there.
inline constexpr std::chrono::milliseconds kPausePiece{250};
// How often one by the engine's clock looks at it.
inline constexpr std::chrono::milliseconds kEnginePiece{20};

// What comes before the request is executed. Returns the next step; an empty one if the connection
// has ended.
template <class Stream>
Task<std::optional<Dispatcher::Step>> Session<Stream>::begin_faulted(HttpRequest& request,
                                                                     Exchange& exchange) {
  const faults::InjectedFault& fault = exchange.fault;
  if (!co_await pause(fault.before)) co_return std::nullopt;
  const auto* const dropped = fault.find<faults::FaultDrop>();
  if (dropped != nullptr && !dropped->is_after) {
    worker_.dispatcher().dropped(request, exchange);
    co_await drop(dropped->how);
    co_return std::nullopt;
  }
  co_return worker_.dispatcher().resume(request, exchange, pace_.steps_max());
}

// What comes between the outcome and the response, and all but the last piece of a response that
// comes in pieces. Returns false if the connection has ended.
template <class Stream>
Task<bool> Session<Stream>::end_faulted(Exchange& exchange) {
  const faults::InjectedFault& fault = exchange.fault;
  if (!co_await pause(fault.after)) co_return false;
  if (const auto* const drip = fault.find<faults::FaultDrip>())
    co_return co_await trickle(*drip, exchange);
  const auto* const dropped = fault.find<faults::FaultDrop>();
  if (dropped == nullptr) co_return true;
  co_await drop(dropped->how);
  co_return false;
}

// Lets time pass, at most that of --request-timeout by either clock. Returns false if the
// connection or the server ends meanwhile.
template <class Stream>
Task<bool> Session<Stream>::pause(faults::Pause length) {
  using std::chrono::microseconds;
  using std::chrono::steady_clock;
  const auto last =
      steady_clock::now() + std::min<microseconds>(length.wire, worker_.request_timeout());
  const TimeLeft by_wire = [last] {
    return std::chrono::ceil<microseconds>(last - steady_clock::now());
  };
  const bool is_there = co_await wait_out(by_wire);
  if (!is_there || length.engine.count() == 0) co_return is_there;
  const Timestamp due = worker_.dispatcher().engine_now().plus(length.engine);
  const auto bound = steady_clock::now() + worker_.request_timeout();
  const TimeLeft by_engine = [this, due, bound] {
    const bool is_over = worker_.dispatcher().engine_now() >= due || steady_clock::now() >= bound;
    return is_over ? microseconds(0) : microseconds(kEnginePiece);
  };
  co_return co_await wait_out(by_engine);
}

// Waits until no time is left, and asks again after each piece.
template <class Stream>
Task<bool> Session<Stream>::wait_out(const TimeLeft& time_left) {
  asio::steady_timer timer(worker_.executor());
  Client client{stream_.lowest_layer().native_handle()};
  for (auto left = time_left(); left.count() > 0; left = time_left()) {
    if (!stream_.lowest_layer().is_open() || client.should_stop()) co_return false;
    timer.expires_after(std::min<std::chrono::microseconds>(left, kPausePiece));
    pausing_ = &timer;
    const auto [error] = co_await timer.async_wait(use_tuple);
    pausing_ = nullptr;
    if (error) co_return false;
  }
  co_return stream_.lowest_layer().is_open();
}

// Sends the head, then pieces of the body, until the last one or the time of --request-timeout is
// up. The exchange has the rest then. Returns false if the connection has ended.
template <class Stream>
Task<bool> Session<Stream>::trickle(const faults::FaultDrip& drip, Exchange& exchange) {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  std::string_view head = exchange.out;
  const std::size_t size = head.find(kEndOfHead) + kEndOfHead.size();
  if (!co_await send(head.substr(0, size))) co_return false;
  head.remove_prefix(size);
  const faults::Pause between{.wire = drip.every, .engine = {}};
  const auto last = std::chrono::steady_clock::now() + worker_.request_timeout();
  while (head.size() + exchange.body.size() > drip.bytes &&
         std::chrono::steady_clock::now() < last) {
    std::string_view& from = head.empty() ? exchange.body : head;
    const std::string_view piece = from.substr(0, drip.bytes);
    if (!co_await send(piece)) co_return false;
    if (!co_await pause(between)) co_return false;
    from.remove_prefix(piece.size());
  }
  exchange.out.erase(0, exchange.out.size() - head.size());
  co_return true;
}

// Ends the connection without an answer.
template <class Stream>
Task<void> Session<Stream>::drop(faults::FaultDrop::How how) {
  const faults::Pause longest{.wire = worker_.request_timeout(), .engine = {}};
  if (how == faults::FaultDrop::How::Hang) co_await pause(longest);
  ErrorCodeOrOk ignored;
  auto& socket = stream_.lowest_layer();
  if (how == faults::FaultDrop::How::Rst)
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace stator
