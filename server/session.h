// Session: one connection, from its first byte to its last, as one coroutine on its worker's
// thread.
//
// Reads into a small flat buffer, feeds the parser, hands complete requests to the dispatcher,
// waits for the commit of writes, and writes the answer. Pipelined requests are answered one after
// the other. See session.cpp for what bounds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "server/connection_counts.h"

namespace boost::asio::ssl {
class context;
}

namespace stator {

class Worker;

// A socket that knows its executor's type, which saves type erasure in every operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// One of the connections allowed; gives its place back at the end.
class ConnectionPlace {
 public:
  explicit ConnectionPlace(std::shared_ptr<ConnectionCounts> counts) : counts_(std::move(counts)) {
    ++counts_->open;
  }
  ConnectionPlace(ConnectionPlace&& other) noexcept = default;
  ConnectionPlace& operator=(ConnectionPlace&&) = delete;
  ~ConnectionPlace() {
    if (counts_ != nullptr) --counts_->open;
  }

 private:
  std::shared_ptr<ConnectionCounts> counts_;
};

enum class Welcome : std::uint8_t {
  Full,
  // All places are taken: it is told so, unless it asks how the server is, and must be quick.
  Guest,
};

// Serves `socket`, whose executor is the worker's. `tls` (or nullptr: plain) must outlive the
// worker. From any thread.
void start_session(Worker& worker, Socket socket, boost::asio::ssl::context* tls,
                   ConnectionPlace place, Welcome welcome);

}  // namespace stator
