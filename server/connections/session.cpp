// Bounds of a session: the idle deadline between requests; the request deadline from a request's
// first byte to its last, and again for reading the response; the parser's limits; ReadBuffer's
// size; the process-wide memory budget. After a rejected request, the session discards further
// input for a while, so that the client can read the response instead of getting a reset.

#include "server/connections/session.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "server/connections/http2_connection.h"
#include "server/connections/http2_line.h"
#include "server/connections/read_pace.h"
#include "server/connections/session_class.h"
#include "server/connections/session_events.h"
#include "server/connections/session_faults.h"
#include "server/connections/session_waits.h"
#include "server/connections/tls.h"
#include "server/dispatch/dispatcher.h"
#include "server/http/http_request.h"
#include "server/http/read_buffer.h"
#include "server/http/reply.h"
#include "server/log/log.h"
#include "server/threads/worker.h"

namespace stator {

namespace {

void start_session(Worker& worker, Http2Line line);

// A request or response above this frees enough memory to return some to the system.
constexpr std::size_t kMuchBytes = 64 * 1024;
// Maximum input of a rejected client before its connection is closed.
constexpr std::size_t kLingerBytesMax = 64 * 1024 * 1024;

// Whether something takes time before the commit of a write, or instead of one.
bool needs_detour(Dispatcher::Step step) {
  return step == Dispatcher::Step::Faulted || step == Dispatcher::Step::NeedsEvent ||
         Dispatcher::needs_lane(step);
}

}  // namespace

template <class Stream>
Task<void> Session<Stream>::run() {
  worker_.add(*this);
  if constexpr (kIsLine) stream_.on_leaving([this] { close(); });
  guest_deadline_ = worker_.guest_deadline();
  note_idle();
  try {
    if (co_await greet()) {
      parser_.request().set_connection(connection_number());
      if (worker_.keeps_fields()) note_origin();
      co_await serve();
      co_await say_goodbye();
    }
  } catch (const std::exception& error) {
    log::error(std::string{"connection failed: "} + error.what());
  }
  close();
  worker_.remove(*this);
}

template <class Stream>
Task<bool> Session<Stream>::greet() {
  if constexpr (kIsTls) {
    if (worker_.is_stopping()) co_return false;
    await_peer();
    if (is_guest_) deadline_ = guest_deadline_;
    is_between_requests_ = true;
    const auto [error] =
        co_await stream_.async_handshake(asio::ssl::stream_base::server, use_tuple);
    stop_waiting();
    if (is_plain_http(error)) co_await refuse_plain_http();
    co_return !error;
  }
  co_return true;
}

// The handshake met the first bytes of an HTTP request; nothing has been sent yet.
template <class Stream>
Task<void> Session<Stream>::refuse_plain_http() {
  if constexpr (kIsTls) {
    worker_.dispatcher().refuse_plain_http(refusal_);
    await_peer();
    Socket& socket = stream_.next_layer();
    const auto [error, count] =
        co_await asio::async_write(socket, asio::buffer(refusal_), use_tuple);
    if (!error) co_await drop_input(socket);
    ErrorCodeOrOk ignored;
    socket.close(ignored);
  }
  co_return;
}

// Tells TLS clients that the stream was not truncated.
template <class Stream>
Task<void> Session<Stream>::say_goodbye() {
  if constexpr (kIsTls) {
    if (!stream_.lowest_layer().is_open()) co_return;
    await_peer();
    is_between_requests_ = true;
    co_await stream_.async_shutdown(use_tuple);
  }
  co_return;
}

// For policies, which may depend on the client's address.
template <class Stream>
void Session<Stream>::note_origin() {
  ErrorCodeOrOk error;
  const auto peer = stream_.lowest_layer().remote_endpoint(error);
  if (error) return;
  auto address = peer.address();
  // A socket for both versions shows those of version 4 mapped.
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  parser_.request().set_origin({address.to_string(), address.is_loopback(), kIsTls});
}

// Serves requests until the connection ends. Between a complete request and its response, suspends
// only for commits, lanes and full sockets.
template <class Stream>
Task<void> Session<Stream>::serve() {
  for (;;) {
    const Input input = feed();
    if (input == Input::Refused) co_return co_await refuse(refusal_);
    if (input == Input::Http2) co_return become_http2();
    if (input == Input::NeedMore) {
      if (!co_await receive()) co_return;
      continue;
    }
    HttpRequest& request = parser_.request();
    auto exchange = worker_.take_exchange();
    auto step = begin(request, *exchange);
    bool was_left = false;
    if (needs_detour(step)) {
      const auto next = co_await detour(step, request, exchange, was_left);
      if (!next) co_return;
      step = *next;
    }
    const bool has_waited = step == Dispatcher::Step::NeedsCommit;
    if (has_waited) {
      SessionCommit commit{worker_, exchange->call, stream_.lowest_layer().native_handle(),
                           /*is_long=*/was_left};
      begin_waiting(commit.client());
      co_await commit.committed(worker_);
      end_waiting();
      if (commit.is_unwanted()) co_return;
      step = worker_.dispatcher().finish(request, *exchange, commit.error());
    }
    if (step == Dispatcher::Step::NoMemory) {
      worker_.give_back(std::move(exchange));
      worker_.memory().refused();
      co_await refuse(kServiceUnavailable);
      co_return;
    }
    if (exchange->fault && !co_await end_faulted(*exchange)) co_return;
    std::string_view head = exchange->out;
    std::string_view body = exchange->body;
    has_used_much_ |= std::max(head.size() + body.size(), request.body().size()) > kMuchBytes;
    if (!send_now(head, body)) co_return;
    if (!(head.empty() && body.empty()) && !co_await send_rest(*exchange, head, body)) co_return;
    if (request_ended(std::move(exchange))) {
      if (!buffer_.empty()) co_await linger();
      co_return;
    }
    // Lets others run before the next pipelined request; during a commit they ran already.
    if (!buffer_.empty() && !has_waited) co_await asio::post(worker_.executor(), UseTask{});
  }
}

// Waits for more of a request. Returns false if none comes.
template <class Stream>
Task<bool> Session<Stream>::receive() {
  if (parser_.expects_continue() && !std::exchange(was_told_to_continue_, true)) {
    if (!co_await send(kContinue)) co_return false;
  }
  if (!has_begun_ && worker_.is_stopping() && !has_unread()) co_return false;
  await_bytes();
  const auto room = buffer_.room();
  const auto [error, count] =
      co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), use_tuple);
  stop_waiting();
  if (error) co_return false;
  received(count);
  co_return true;
}

// Gives the connection away; this session ends.
template <class Stream>
void Session<Stream>::become_http2() {
  if constexpr (std::is_same_v<Stream, Socket>) {
    const auto serve = [&worker = worker_](Http2Line line) {
      start_session(worker, std::move(line));
    };
    Http2Connection::start(worker_, std::move(stream_), std::move(place_), serve, buffer_.bytes());
  }
}

template <class Stream>
Dispatcher::Step Session<Stream>::begin(HttpRequest& request, Exchange& exchange) {
  exchange.closes = !request.keeps_alive() || worker_.is_stopping() || is_guest_;
  const auto step = worker_.dispatcher().begin(request, exchange, pace_.steps_max());
  return take_from_budget() ? step : Dispatcher::Step::NoMemory;  // the body may have grown
}

// Does what comes before the commit of a write and takes time. Returns an empty step if the
// connection has ended.
template <class Stream>
Task<std::optional<Dispatcher::Step>> Session<Stream>::detour(Dispatcher::Step step,
                                                              HttpRequest& request,
                                                              std::unique_ptr<Exchange>& exchange,
                                                              bool& was_left) {
  std::optional<Dispatcher::Step> next = step;
  while (next && needs_detour(*next)) {
    if (*next == Dispatcher::Step::Faulted) {
      next = co_await begin_faulted(request, *exchange);
    } else if (*next == Dispatcher::Step::NeedsEvent) {
      next = co_await await_event(request, exchange);
    } else {
      was_left = true;
      next = co_await work_in_lane(*next, request, *exchange);
    }
  }
  co_return next;
}

// Returns an empty step if the client has left.
template <class Stream>
Task<std::optional<Dispatcher::Step>> Session<Stream>::work_in_lane(Dispatcher::Step left,
                                                                    HttpRequest& request,
                                                                    Exchange& exchange) {
  Client client{stream_.lowest_layer().native_handle()};
  SessionWork work{worker_, worker_.lane_for(left), request, exchange, client};
  begin_waiting(client);
  // The function's own time limits the wait.
  if (left == Dispatcher::Step::NeedsFunction) deadline_ = kNoDeadline;
  co_await work.done();
  end_waiting();
  if (client.has_left()) co_return std::nullopt;
  co_return take_from_budget() ? work.step() : Dispatcher::Step::NoMemory;
}

// Feeds the received bytes to the parser.
template <class Stream>
auto Session<Stream>::feed() -> Input {
  using Progress = HttpRequestParser::Progress;
  if (buffer_.empty()) return Input::NeedMore;
  if (may_be_http2_ && !is_guest_) {
    if (buffer_.bytes().starts_with(http2::kPreface)) return Input::Http2;
    if (http2::kPreface.starts_with(buffer_.bytes())) return Input::NeedMore;
    may_be_http2_ = false;
  }
  const auto [consumed, progress] = parser_.feed(buffer_.bytes());
  buffer_.consume(consumed);
  if (!take_from_budget()) {
    worker_.memory().refused();
    refusal_ = kServiceUnavailable;
    return Input::Refused;
  }
  if (progress == Progress::Complete) {
    if (!is_guest_ || asks_for_health(parser_.request())) return Input::Complete;
    refusal_ = kServiceUnavailable;
    return Input::Refused;
  }
  const bool is_stuck = buffer_.bytes().size() == ReadBuffer::kBytesMax;
  if (progress == Progress::NeedMore && !is_stuck) return Input::NeedMore;
  worker_.dispatcher().refuse(is_stuck ? Progress::Malformed : progress, parser_.request(),
                              refusal_);
  return Input::Refused;
}

template <class Stream>
bool Session<Stream>::take_from_budget() {
  const std::size_t held = input_bytes();
  if (held <= input_bytes_taken_) return true;
  if (!worker_.memory().budget().take(held - input_bytes_taken_)) return false;
  input_bytes_taken_ = held;
  return true;
}

template <class Stream>
bool Session<Stream>::request_ended(std::unique_ptr<Exchange> exchange) {
  const bool closes = exchange->closes;
  pace_.took(exchange->call.work.steps());
  worker_.give_back(std::move(exchange));
  parser_.reset();
  buffer_.shrink();
  const std::size_t kept = input_bytes();
  if (kept < input_bytes_taken_) {
    worker_.memory().budget().give_back(input_bytes_taken_ - kept);
    input_bytes_taken_ = kept;
  }
  if (std::exchange(has_used_much_, false)) worker_.trim_later();
  was_told_to_continue_ = false;
  has_begun_ = !buffer_.empty();
  if (has_begun_) request_deadline_ = worker_.request_deadline();
  return closes;
}

// Sends what the socket takes at once, nearly always everything, without suspension or allocation.
// Returns false if the connection is gone.
template <class Stream>
bool Session<Stream>::send_now(std::string_view& head, std::string_view& body) {
  if constexpr (!kIsTls && !kIsLine) {
    ErrorCodeOrOk error;
    const std::array<asio::const_buffer, 2> both{asio::buffer(head), asio::buffer(body)};
    const std::size_t count =
        body.empty() ? stream_.write_some(both[0], error) : stream_.write_some(both, error);
    if (error) return error == asio::error::would_block;
    const std::size_t of_head = std::min(count, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(count - of_head);
  }
  return true;
}

template <class Stream>
Task<bool> Session<Stream>::send(std::string_view bytes) {
  await_peer();
  const auto [error, count] = co_await asio::async_write(stream_, asio::buffer(bytes), use_tuple);
  stop_waiting();
  co_return !error;
}

// Sends the rest as the client reads it. Meanwhile the exchange retains only the response.
template <class Stream>
Task<bool> Session<Stream>::send_rest(Exchange& exchange, std::string_view head,
                                      std::string_view body) {
  const auto held = exchange.keep_answer_only();
  if (!held) {
    worker_.memory().refused();
    co_return false;
  }
  waiting_bytes_ = *held;
  bool is_taken = true;
  if (!head.empty()) is_taken = co_await send(head);
  if (is_taken && !body.empty()) is_taken = co_await send(body);
  waiting_bytes_ = 0;
  co_return is_taken;
}

template <class Stream>
Task<void> Session<Stream>::refuse(std::string_view answer) {
  const bool is_told = co_await send(answer);
  if (is_told) co_await linger();
  co_return;
}

template <class Stream>
Task<void> Session<Stream>::linger() {
  ErrorCodeOrOk ignored;
  if constexpr (!kIsTls) stream_.shutdown(asio::socket_base::shutdown_send, ignored);
  co_await drop_input(stream_);
}

template <class Stream>
template <class Line>
Task<void> Session<Stream>::drop_input(Line& line) {
  buffer_.consume(buffer_.bytes().size());
  await_peer();
  if (is_guest_) deadline_ = std::min(deadline_, guest_deadline_);
  is_between_requests_ = true;  // shutdown need not wait for this
  std::size_t dropped = 0;
  while (dropped < kLingerBytesMax && !worker_.is_stopping()) {
    const auto room = buffer_.room();
    const auto [error, count] =
        co_await line.async_read_some(asio::buffer(room.data(), room.size()), use_tuple);
    if (error) co_return;
    dropped += count;
  }
}

namespace {

template <class Stream>
Task<void> serve_connection(std::unique_ptr<Session<Stream>> session) {
  co_await session->run();
}

template <class Stream>
void spawn(Worker& worker, Stream stream, ConnectionPlace place, SessionKind welcome) {
  auto session =
      std::make_unique<Session<Stream>>(worker, std::move(stream), std::move(place), welcome);
  asio::co_spawn(worker.executor(), serve_connection(std::move(session)), asio::detached);
}

void start_session(Worker& worker, Http2Line line) {
  spawn(worker, std::move(line), ConnectionPlace(), SessionKind::Full);
}

}  // namespace

void start_session(Worker& worker, Socket socket, asio::ssl::context* tls, ConnectionPlace place,
                   SessionKind welcome) {
  ErrorCodeOrOk ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
  if (tls != nullptr) {
    spawn(worker, TlsStream{std::move(socket), *tls}, std::move(place), welcome);
  } else {
    spawn(worker, std::move(socket), std::move(place), welcome);
  }
}

}  // namespace stator
