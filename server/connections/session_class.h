// Session: one connection on its worker's thread. session.cpp has what it does.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/connections/http2_line.h"
#include "server/connections/read_pace.h"
#include "server/connections/session.h"
#include "server/connections/session_poll.h"
#include "server/connections/session_waits.h"
#include "server/connections/tasks.h"
#include "server/dispatch/dispatcher.h"
#include "server/http/http_request.h"
#include "server/http/read_buffer.h"
#include "server/threads/worker.h"

namespace stator {

namespace asio = boost::asio;
using ErrorCodeOrOk = boost::system::error_code;
using TlsStream = asio::ssl::stream<Socket>;

template <class Stream>
class Session final : public SessionBase {
 public:
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;
  static constexpr bool kIsLine = std::is_same_v<Stream, Http2Line>;  // a part of a connection

  Session(Worker& worker, Stream stream, ConnectionPlace place, SessionKind welcome)
      : worker_(worker),
        stream_(std::move(stream)),
        place_(std::move(place)),
        is_guest_(welcome == SessionKind::HealthOnly) {}
  ~Session() override {
    worker_.memory().budget().give_back(input_bytes_taken_);
    if (has_used_much_) worker_.trim_later();
  }

  Task<void> run();

 private:
  void note_origin();
  enum class Input : std::uint8_t { NeedMore, Complete, Refused, Http2 };

  Task<void> serve();
  Task<bool> receive();
  void become_http2();
  Dispatcher::Step begin(HttpRequest& request, Exchange& exchange);
  // These six are for faults on demand (session_faults.h).
  Task<std::optional<Dispatcher::Step>> begin_faulted(HttpRequest& request, Exchange& exchange);
  Task<bool> end_faulted(Exchange& exchange);
  Task<bool> pause(faults::Pause length);
  using TimeLeft = std::function<std::chrono::microseconds()>;  // of the wire; zero: it is over
  Task<bool> wait_out(const TimeLeft& time_left);
  Task<bool> trickle(const faults::FaultDrip& drip, Exchange& exchange);
  Task<void> drop(faults::FaultDrop::How how);
  Task<std::optional<Dispatcher::Step>> detour(Dispatcher::Step step, HttpRequest& request,
                                               std::unique_ptr<Exchange>& exchange, bool& was_left);
  Task<std::optional<Dispatcher::Step>> await_event(HttpRequest& request,
                                                    std::unique_ptr<Exchange>& exchange);
  Task<std::optional<Dispatcher::Step>> work_in_lane(Dispatcher::Step left, HttpRequest& request,
                                                     Exchange& exchange);
  Task<bool> greet();
  bool send_now(std::string_view& head, std::string_view& body);
  Task<bool> send(std::string_view bytes);
  Task<bool> send_rest(Exchange& exchange, std::string_view head, std::string_view body);
  Task<void> refuse(std::string_view answer);
  Task<void> refuse_plain_http();
  Task<void> say_goodbye();
  Task<void> linger();
  template <class Line>
  Task<void> drop_input(Line& line);

  // A line's is that of the connection that it is a part of.
  std::uint64_t connection_number() const {
    if constexpr (kIsLine) return stream_.connection_number();
    return place_.number();
  }
  Input feed();
  bool take_from_budget();
  // Memory of the input: buffer, header and body.
  std::size_t input_bytes() {
    const HttpRequest& request = parser_.request();
    return request.capacity_bytes() + buffer_.capacity_bytes();
  }
  // Returns whether the connection ends.
  bool request_ended(std::unique_ptr<Exchange> exchange);
  void close() override {
    if (client_ != nullptr) return client_->leave();
    if (poll_ != nullptr) return poll_->cancel();
    if (pausing_ != nullptr) pausing_->cancel();
    ErrorCodeOrOk ignored;
    stream_.lowest_layer().close(ignored);
  }
  // Unread bytes in the socket may be a request that came while the thread was busy. Closing the
  // connection would drop it, so it stays open then.
  void leave() override {
    if (poll_ != nullptr) return poll_->cancel();
    ErrorCodeOrOk ignored;
    if (!has_unread()) stream_.lowest_layer().cancel(ignored);
  }
  bool has_unread() {
    if constexpr (kIsLine) return stream_.has_unread();
    char byte = 0;
    return ::recv(stream_.lowest_layer().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  // Sets the deadline for the next input.
  void await_bytes() {
    is_between_requests_ = (!has_begun_ && !kIsLine) || is_guest_;
    deadline_ = has_begun_ ? request_deadline_ : worker_.idle_deadline();
    if (is_guest_) deadline_ = std::min(deadline_, guest_deadline_);
    if (!has_begun_) note_idle();
    if (hold_ == nullptr || has_begun_) return;
    // Its client works on a call of a function. An end of the connection means that it has died.
    if (!hold_->is_running()) return hold_.reset();
    idle_order_ = kNotIdle;
    deadline_ = std::max(deadline_, hold_deadline_);
  }
  // A guest never counts as idle: another connection would get its place as a full one. A line has
  // no place.
  void note_idle() { idle_order_ = is_guest_ || kIsLine ? kNotIdle : worker_.next_idle_order(); }
  void await_peer() { deadline_ = worker_.request_deadline(); }
  // While another thread works on the client's request, `client` says whether to go on.
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
  HttpRequestParser parser_{worker_.keeps_fields(), worker_.keeps_fields_while()};
  std::string refusal_;  // the response to what is not served
  std::size_t input_bytes_taken_ = 0;
  std::int64_t request_deadline_ = kNoDeadline;
  std::int64_t guest_deadline_ = kNoDeadline;
  const bool is_guest_;
  Client* client_ = nullptr;  // while another thread works for it; the socket stays open then
  asio::steady_timer* pausing_ = nullptr;        // during a fault's delay
  std::shared_ptr<SessionPoll> poll_;            // while it waits for the call of a function
  std::unique_ptr<triggers::RuntimeHold> hold_;  // the call that its client has
  std::int64_t hold_deadline_ = 0;
  ReadPace pace_{worker_};
  bool may_be_http2_ = std::is_same_v<Stream, Socket>;  // its first bytes tell
  bool has_begun_ = false;                              // the first bytes of a request have arrived
  bool was_told_to_continue_ = false;
  bool has_used_much_ = false;
};

}  // namespace stator
