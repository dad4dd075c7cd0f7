// Session: one connection, as one coroutine on its worker's thread.
//
// Reads into a small flat buffer, feeds the parser, passes complete requests to the dispatcher,
// waits for the commit of writes, and sends the response. Pipelined requests are served one after
// the other. session.cpp lists its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "server/connections/connection_counts.h"

namespace boost::asio::ssl {
class context;
}

namespace stator {

class Worker;

// Names the executor's type, which saves type erasure in every operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// Counts an open connection for as long as it exists.
class ConnectionPlace {
 public:
  ConnectionPlace() = default;  // counts none
  explicit ConnectionPlace(std::shared_ptr<ConnectionCounts> counts)
      : counts_(std::move(counts)), number_(++counts_->last_number) {
    ++counts_->open;
  }
  ConnectionPlace(ConnectionPlace&& other) noexcept = default;
  ConnectionPlace& operator=(ConnectionPlace&&) = delete;
  ~ConnectionPlace() {
    if (counts_ != nullptr) --counts_->open;
  }

  // Of all connections of the process, from 1.
  std::uint64_t number() const { return number_; }

 private:
  std::shared_ptr<ConnectionCounts> counts_;
  std::uint64_t number_ = 0;
};

enum class SessionKind : std::uint8_t {
  Full,
  // Above the connection limit: gets 503 unless it asks for health, and has little time.
  HealthOnly,
};

// Serves `socket`, whose executor is the worker's. `tls` must outlive the worker; nullptr for plain
// HTTP. Any thread may call this.
void start_session(Worker& worker, Socket socket, boost::asio::ssl::context* tls,
                   ConnectionPlace place, SessionKind welcome);

}  // namespace stator
