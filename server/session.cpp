// See session.h.
//
// What bounds a session: the idle deadline between requests; the request deadline from a request's
// first byte to its last, and again for taking the answer; the parser's limits; ReadBuffer's size;
// the process-wide budget for memory. A refused request is answered, then what the client still
// sends is thrown away for a while, so that it gets to read the answer instead of a reset.

#include "server/session.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "server/dispatcher.h"
#include "server/http_request.h"
#include "server/log.h"
#include "server/read_buffer.h"
#include "server/reply.h"
#include "server/session_waits.h"
#include "server/worker.h"

namespace stator {

namespace {

namespace asio = boost::asio;
using ErrorCodeOrOk = boost::system::error_code;
using TlsStream = asio::ssl::stream<Socket>;

constexpr asio::as_tuple_t<UseTask> use_tuple{UseTask{}};

// Requests and answers above this leave memory behind that is worth giving back.
constexpr std::size_t kMuchBytes = 64 * 1024;
// Most that a refused client may still send before it is cut off.
constexpr std::size_t kLingerBytesMax = 64 * 1024 * 1024;
// How many steps of a read, a nanosecond each, are worth a place in the lane, whose threads cost
// some tens of microseconds: beside connections whose requests are short, and when there are none.
constexpr std::uint64_t kReadStepsBeside = 4 * Work::kStepsBetweenQuestions;
constexpr std::uint64_t kReadStepsAlone = 16 * Work::kStepsBetweenQuestions;

template <class Stream>
class Session final : public SessionBase {
 public:
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;

  Session(Worker& worker, Stream stream, ConnectionPlace place, Welcome welcome)
      : worker_(worker),
        stream_(std::move(stream)),
        place_(std::move(place)),
        is_guest_(welcome == Welcome::Guest) {}
  ~Session() override {
    worker_.memory().budget().give_back(input_bytes_taken_);
    if (has_used_much_) worker_.trim_later();
    if (is_quick_) worker_.count_quick_session(-1);
  }

  Task<void> run();

 private:
  enum class Input : std::uint8_t { NeedMore, Complete, Refused };

  Task<void> serve();
  Dispatcher::Step begin(HttpRequest& request, Exchange& exchange);
  Task<std::optional<Dispatcher::Step>> work_in_lane(Dispatcher::Step left, HttpRequest& request,
                                                     Exchange& exchange);
  Task<bool> greet();
  bool send_now(std::string_view& head, std::string_view& body);
  Task<bool> send(std::string_view bytes);
  Task<bool> send_rest(Exchange& exchange, std::string_view head, std::string_view body);
  Task<void> refuse(std::string_view answer);
  Task<void> say_goodbye();
  Task<void> linger();

  Input feed();
  bool take_from_budget();
  // What input takes: buffers of bytes, header and body.
  std::size_t input_bytes() {
    const HttpRequest& request = parser_.request();
    return request.capacity_bytes() + buffer_.capacity_bytes();
  }
  // Whether the connection ends.
  bool request_ended(std::unique_ptr<Exchange> exchange);
  // How long a read may be on the worker's thread; what was long before will be long again.
  std::uint64_t read_steps_max() const {
    const bool is_alone = worker_.quick_sessions() == int{is_quick_};
    const std::uint64_t steps_max = is_alone ? kReadStepsAlone : kReadStepsBeside;
    return last_steps_ < steps_max ? steps_max : 0;
  }
  void took(std::uint64_t steps) {
    last_steps_ = steps;
    const bool is_quick = steps < kReadStepsBeside;
    if (is_quick != is_quick_) worker_.count_quick_session(is_quick ? 1 : -1);
    is_quick_ = is_quick;
  }
  void close() override {
    if (client_ != nullptr) return client_->leave();
    ErrorCodeOrOk ignored;
    stream_.lowest_layer().close(ignored);
  }
  // A request that came while the thread was busy may be in the system or, read, in a handler that
  // has not run: closed, it could not be answered.
  void leave() override {
    ErrorCodeOrOk ignored;
    if (!has_unread()) stream_.lowest_layer().cancel(ignored);
  }
  bool has_unread() {
    char byte = 0;
    return ::recv(stream_.lowest_layer().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  // Starts the clock of what is waited for next.
  void await_bytes() {
    is_between_requests_ = !has_begun_ || is_guest_;
    deadline_ = has_begun_ ? request_deadline_ : worker_.idle_deadline();
    if (is_guest_) deadline_ = std::min(deadline_, guest_deadline_);
    if (!has_begun_) idle_order_ = worker_.next_idle_order();
  }
  void await_peer() { deadline_ = worker_.request_deadline(); }
  // Others work for the client, as long as it waits.
  void begin_waiting(Client& client) {
    client_ = &client;
    await_peer();
  }
  void end_waiting() {
    stop_waiting();
    client_ = nullptr;
  }
  void stop_waiting() {
    is_between_requests_ = false;
    deadline_ = kNoDeadline;
  }
  void received(std::size_t count) {
    buffer_.received(count);
    if (!has_begun_) {
      has_begun_ = true;
      request_deadline_ = worker_.request_deadline();
    }
  }

  Worker& worker_;
  Stream stream_;
  ConnectionPlace place_;
  ReadBuffer buffer_;
  HttpRequestParser parser_;
  std::string refusal_;  // the answer to what is not served
  std::size_t input_bytes_taken_ = 0;
  std::int64_t request_deadline_ = kNoDeadline;
  std::int64_t guest_deadline_ = kNoDeadline;
  const bool is_guest_;
  Client* client_ = nullptr;      // while others work for it: the socket stays open for them
  std::uint64_t last_steps_ = 0;  // of the last request
  bool is_quick_ = false;         // counted as such by the worker
  bool has_begun_ = false;        // bytes of a request are here
  bool was_told_to_continue_ = false;
  bool has_used_much_ = false;
};

template <class Stream>
Task<void> Session<Stream>::run() {
  worker_.add(*this);
  guest_deadline_ = worker_.guest_deadline();
  idle_order_ = worker_.next_idle_order();
  try {
    if (co_await greet()) {
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
    co_return !error;
  }
  co_return true;
}

// TLS clients want to be told that nothing was cut off.
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

// Request after request. Runs without suspension from a complete request to its answer, save for
// commits and full sockets.
template <class Stream>
Task<void> Session<Stream>::serve() {
  for (;;) {
    const Input input = feed();
    if (input == Input::Refused) {
      co_await refuse(refusal_);
      co_return;
    }
    if (input == Input::NeedMore) {
      if (parser_.expects_continue() && !std::exchange(was_told_to_continue_, true)) {
        if (!co_await send(kContinue)) co_return;
      }
      if (!has_begun_ && worker_.is_stopping() && !has_unread()) co_return;
      const auto room = buffer_.room();
      await_bytes();
      const auto [error, count] =
          co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), use_tuple);
      stop_waiting();
      if (error) co_return;
      received(count);
      continue;
    }
    HttpRequest& request = parser_.request();
    auto exchange = worker_.take_exchange();
    auto step = begin(request, *exchange);
    const bool has_waited = step == Dispatcher::Step::NeedsCommit;
    if (has_waited) {
      SessionCommit commit{worker_, exchange->call, stream_.lowest_layer().native_handle()};
      begin_waiting(commit.client());
      co_await commit.committed(worker_);
      end_waiting();
      if (commit.is_unwanted()) co_return;
      step = worker_.dispatcher().finish(request, *exchange, commit.error());
    } else if (step == Dispatcher::Step::NeedsLane || step == Dispatcher::Step::NeedsAdmin) {
      const auto done = co_await work_in_lane(step, request, *exchange);
      if (!done) co_return;
      step = *done;
    }
    if (step == Dispatcher::Step::NoMemory) {
      worker_.give_back(std::move(exchange));
      worker_.memory().refused();
      co_await refuse(kServiceUnavailable);
      co_return;
    }
    std::string_view head = exchange->out;
    std::string_view body = exchange->body;
    has_used_much_ |= std::max(head.size() + body.size(), request.body().size()) > kMuchBytes;
    if (!send_now(head, body)) co_return;
    if (!head.empty() || !body.empty()) {
      if (!co_await send_rest(*exchange, head, body)) co_return;
    }
    if (request_ended(std::move(exchange))) {
      if (!buffer_.empty()) co_await linger();
      co_return;
    }
    // Others have their turn before the next of many; while a commit was waited for, they had it.
    if (!buffer_.empty() && !has_waited) co_await asio::post(worker_.executor(), UseTask{});
  }
}

template <class Stream>
Dispatcher::Step Session<Stream>::begin(HttpRequest& request, Exchange& exchange) {
  exchange.closes = !request.keeps_alive() || worker_.is_stopping() || is_guest_;
  const auto step = worker_.dispatcher().begin(request, exchange, read_steps_max());
  return take_from_budget() ? step : Dispatcher::Step::NoMemory;  // the body may be unpacked by now
}

// Empty: nobody waits any more.
template <class Stream>
Task<std::optional<Dispatcher::Step>> Session<Stream>::work_in_lane(Dispatcher::Step left,
                                                                    HttpRequest& request,
                                                                    Exchange& exchange) {
  Lane& lane = left == Dispatcher::Step::NeedsAdmin ? worker_.admin_lane() : worker_.lane();
  Client client{stream_.lowest_layer().native_handle()};
  SessionWork work{worker_, lane, request, exchange, client};
  begin_waiting(client);
  co_await work.done();
  end_waiting();
  if (client.has_left()) co_return std::nullopt;
  co_return work.step();
}

// Gives the parser what is there.
template <class Stream>
auto Session<Stream>::feed() -> Input {
  using Progress = HttpRequestParser::Progress;
  if (buffer_.empty()) return Input::NeedMore;
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
  worker_.dispatcher().refuse(is_stuck ? Progress::Malformed : progress, refusal_);
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
  took(exchange->call.work.steps());
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

// Gives the socket what it takes at once, nearly always everything: no suspension, no allocation.
// False: the connection is gone.
template <class Stream>
bool Session<Stream>::send_now(std::string_view& head, std::string_view& body) {
  if constexpr (!kIsTls) {
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

// What the client does not take at once waits, and of the exchange nothing but that.
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
  buffer_.consume(buffer_.bytes().size());
  await_peer();
  is_between_requests_ = true;  // nothing here is worth waiting for at the end
  std::size_t dropped = 0;
  while (dropped < kLingerBytesMax && !worker_.is_stopping()) {
    const auto room = buffer_.room();
    const auto [error, count] =
        co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), use_tuple);
    if (error) co_return;
    dropped += count;
  }
}

template <class Stream>
Task<void> serve_connection(std::unique_ptr<Session<Stream>> session) {
  co_await session->run();
}

template <class Stream>
void spawn(Worker& worker, Stream stream, ConnectionPlace place, Welcome welcome) {
  auto session =
      std::make_unique<Session<Stream>>(worker, std::move(stream), std::move(place), welcome);
  asio::co_spawn(worker.executor(), serve_connection(std::move(session)), asio::detached);
}

}  // namespace

void start_session(Worker& worker, Socket socket, asio::ssl::context* tls, ConnectionPlace place,
                   Welcome welcome) {
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
