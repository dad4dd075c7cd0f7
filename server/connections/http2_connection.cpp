#include "server/connections/http2_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/write.hpp>

#include "server/connections/http2_line.h"
#include "server/log/log.h"

namespace stator {

namespace {

using AsioError = boost::system::error_code;
using http2::StreamId;

// Output is collected up to this, so that small frames share a system call.
constexpr std::size_t kOutputBytesMax = 64 * 1024;
// Sessions at once, with those whose streams are reset.
constexpr std::size_t kSessionsMax = 2 * http2::kStreamsMax;
// Maximum input of a client that gets no more answers, before its connection is closed.
constexpr std::size_t kDiscardedBytesMax = 16 * 1024 * 1024;

}  // namespace

void Http2Connection::start(Worker& worker, Socket socket, ConnectionPlace place, Serve serve,
                            std::string_view received) {
  auto made = std::make_shared<Http2Connection>(worker, std::move(socket), std::move(place),
                                                std::move(serve));
  worker.add(*made);
  made->received(received);
  made->read();
}

Http2Connection::Http2Connection(Worker& worker, Socket socket, ConnectionPlace place, Serve serve)
    : worker_(worker),
      socket_(std::move(socket)),
      place_(std::move(place)),
      serve_(std::move(serve)) {}

// The lines of streams and the operations on the socket keep it until they have ended.
Http2Connection::~Http2Connection() { worker_.remove(*this); }

void Http2Connection::remove(StreamId stream) { ends_.erase(stream); }

void Http2Connection::read() {
  if (is_closed_) return;
  socket_.async_read_some(boost::asio::buffer(input_),
                          [self = shared_from_this()](const AsioError& error, std::size_t count) {
                            if (error) return self->close();
                            self->received({self->input_.data(), count});
                            self->read();
                          });
}

void Http2Connection::received(std::string_view bytes) {
  if (is_closed_) return;
  if (is_ending_) {
    discarded_bytes_ += bytes.size();
    if (discarded_bytes_ > kDiscardedBytesMax) close();
    return;
  }
  bool goes_on = false;
  try {
    goes_on = streams_.feed(bytes);
  } catch (const std::exception& error) {
    log::error(std::string{"connection failed: "} + error.what());
  }
  flush();
  if (!goes_on) end_politely();
}

void Http2Connection::flush() {
  if (is_closed_ || is_ending_) return;
  if (worker_.is_stopping() && !is_going_ && !has_unread()) {
    is_going_ = true;
    streams_.go_away();
  }
  if (output_.empty()) send();
  set_deadline();
}

void Http2Connection::send() {
  while (output_.size() < kOutputBytesMax) {
    const std::string_view piece = streams_.output();
    if (piece.empty()) break;
    output_.append(piece);
  }
  if (output_.empty()) {
    if (streams_.is_over()) end_politely();
    return;
  }
  send_deadline_ = worker_.request_deadline();
  boost::asio::async_write(socket_, boost::asio::buffer(output_),
                           [self = shared_from_this()](const AsioError& error, std::size_t) {
                             self->output_.clear();
                             self->send_deadline_ = kNoDeadline;
                             if (error) return self->close();
                             if (self->is_ending_) return self->shut();
                             self->flush();
                           });
}

// Without a further answer. Reads on, because a reset would take the last one from the client.
void Http2Connection::end_politely() {
  if (std::exchange(is_ending_, true)) return;
  if (output_.empty()) shut();
  const auto ends = ends_;
  for (const auto& [stream, end] : ends) gone(stream);
  idle_deadline_ = worker_.request_deadline();
  set_deadline();
  if (worker_.is_stopping()) close();
}

void Http2Connection::shut() {
  AsioError ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

void Http2Connection::close() {
  if (is_closed_) return;
  AsioError ignored;
  if (is_between_requests_ && !is_going_ && !is_ending_ && output_.empty()) {
    streams_.go_away();
    socket_.write_some(boost::asio::buffer(streams_.output()), ignored);
  }
  is_closed_ = true;
  // The descriptor stays: other threads may still look at it for the requests of streams.
  socket_.shutdown(boost::asio::socket_base::shutdown_both, ignored);
  socket_.cancel(ignored);
  const auto ends = ends_;
  for (const auto& [stream, end] : ends) gone(stream);
  deadline_ = kNoDeadline;
  is_between_requests_ = false;
}

void Http2Connection::leave() {
  if (is_ending_) return close();
  flush();
}

bool Http2Connection::has_unread() {
  char byte = 0;
  return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void Http2Connection::set_deadline() {
  if (is_closed_) return;
  const bool is_idle = !streams_.has_streams() || is_ending_;
  if (is_idle && !is_between_requests_) {
    if (!is_ending_) idle_deadline_ = worker_.idle_deadline();
    idle_order_ = worker_.next_idle_order();
  }
  if (!is_idle) idle_deadline_ = kNoDeadline;
  is_between_requests_ = is_idle;
  if (!streams_.is_in_head()) {
    head_deadline_ = kNoDeadline;
  } else if (head_deadline_ == kNoDeadline) {
    head_deadline_ = worker_.request_deadline();
  }
  deadline_ = std::min({send_deadline_, head_deadline_, idle_deadline_});
}

// Events come while nghttp2 works, so what they cause comes later.

void Http2Connection::begun(StreamId stream) {
  worker_.post([self = shared_from_this(), stream] { self->begin(stream); });
}

void Http2Connection::begin(StreamId stream) {
  if (is_closed_) return;
  // A client that resets its streams may begin others before their sessions have ended.
  if (ends_.size() >= kSessionsMax) return streams_.finish(stream);
  serve_(Http2Line{shared_from_this(), stream});
}

void Http2Connection::readable(StreamId stream) {
  worker_.post([self = shared_from_this(), stream] {
    const auto found = self->ends_.find(stream);
    if (found != self->ends_.end()) found->second->can_read();
  });
}

void Http2Connection::written(StreamId stream) {
  const auto found = ends_.find(stream);
  if (found != ends_.end()) found->second->has_written();
}

void Http2Connection::gone(StreamId stream) {
  worker_.post([self = shared_from_this(), stream] {
    const auto found = self->ends_.find(stream);
    if (found != self->ends_.end()) found->second->has_gone();
  });
}

}  // namespace stator
