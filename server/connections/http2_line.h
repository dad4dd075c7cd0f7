// Http2Line: one stream of HTTP/2, as the session that serves it sees it: like a socket whose
// client sends one request of HTTP/1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/socket_base.hpp>

#include "server/connections/http2_connection.h"

namespace stator {

// The state of a line; its address stays.
struct Http2End {
  using ErrorCode = boost::system::error_code;
  using Done = std::function<void(ErrorCode, std::size_t)>;

  Http2End(std::shared_ptr<Http2Connection> of, http2::StreamId number)
      : connection(std::move(of)), stream(number) {
    connection->add(stream, *this);
  }
  ~Http2End() { close(); }
  Http2End(const Http2End&) = delete;
  Http2End& operator=(const Http2End&) = delete;

  void read(std::span<char> room, Done done);
  void write(std::string_view bytes, Done done);
  void close();
  // What the connection calls.
  void can_read();
  void has_written();
  void has_gone();

  std::shared_ptr<Http2Connection> connection;
  const http2::StreamId stream;
  std::function<void()> left;  // called when the client has left the stream
  std::span<char> read_room;
  Done read_done;
  std::size_t write_bytes = 0;
  Done write_done;
  bool is_open = true;
  bool is_gone = false;  // the client has left it
  bool is_shut = false;  // the session has said all

 private:
  void complete(Done& done, ErrorCode error, std::size_t count);
};

class Http2Line {
 public:
  using ErrorCode = boost::system::error_code;
  // NOLINTNEXTLINE(readability-identifier-naming): Asio's name
  using executor_type = Worker::Executor;
  // NOLINTNEXTLINE(readability-identifier-naming): Asio's name
  using lowest_layer_type = Http2Line;

  Http2Line(std::shared_ptr<Http2Connection> connection, http2::StreamId stream)
      : end_(std::make_unique<Http2End>(std::move(connection), stream)) {}

  executor_type get_executor() { return end_->connection->worker().executor(); }
  Http2Line& lowest_layer() { return *this; }
  // Of the connection. Another thread may look at it as long as this exists.
  int native_handle() { return end_->connection->socket().native_handle(); }
  auto remote_endpoint(ErrorCode& error) {
    return end_->connection->socket().remote_endpoint(error);
  }
  std::uint64_t connection_number() const { return end_->connection->number(); }
  bool is_open() const { return end_->is_open; }
  // Whether the request has more that read would return.
  bool has_unread() const {
    return end_->is_open && !end_->connection->streams().is_read(end_->stream);
  }
  // `left` is called once the client has left the stream, a moment later.
  void on_leaving(std::function<void()> left) { end_->left = std::move(left); }

  void close(ErrorCode&) { end_->close(); }
  void cancel(ErrorCode&) { end_->close(); }
  template <class Option>
  void set_option(const Option&, ErrorCode&) {}  // they are the connection's
  void shutdown(boost::asio::socket_base::shutdown_type, ErrorCode&) { end_->is_shut = true; }

  template <class Token>
  auto async_read_some(boost::asio::mutable_buffer room, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this, room](auto&& handler) {
          end_->read({static_cast<char*>(room.data()), room.size()},
                     shared(std::forward<decltype(handler)>(handler)));
        },
        token);
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    const boost::asio::const_buffer first = *boost::asio::buffer_sequence_begin(buffers);
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this, first](auto&& handler) {
          end_->write({static_cast<const char*>(first.data()), first.size()},
                      shared(std::forward<decltype(handler)>(handler)));
        },
        token);
  }

 private:
  template <class Handler>
  static Http2End::Done shared(Handler&& handler) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [kept](ErrorCode error, std::size_t count) { std::move (*kept)(error, count); };
  }

  std::unique_ptr<Http2End> end_;
};

}  // namespace stator
