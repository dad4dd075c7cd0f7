// Listener: the listening sockets, and the coroutines that distribute new connections among the
// workers in turn.
//
// A connection's socket belongs to its worker's io_context from the start. At the connection limit,
// the longest idle connection is closed for the new one. If none is idle, the new client gets
// status 503, unless it asks for health. So it can try again instead of hanging in the backlog.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <tl/expected.hpp>

#include "server/connections/session.h"
#include "server/options/options.h"

namespace boost::asio::ssl {
class context;
}

namespace stator {

class Worker;

class Listener {
 public:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp,
                                                      boost::asio::io_context::executor_type>;

  // Binds and listens; clients may connect from now on. The error is one line for the user.
  static tl::expected<std::unique_ptr<Listener>, std::string> open(
      const boost::asio::io_context::executor_type& executor, const Options& options,
      std::shared_ptr<ConnectionCounts> counts);

  // Use open().
  Listener(std::size_t connections_max, std::shared_ptr<ConnectionCounts> counts)
      : connections_max_(connections_max), counts_(std::move(counts)) {}

  // Starts accepting, on the executor's thread. The references must outlive this; `tls` may be
  // nullptr.
  void start(std::span<const std::unique_ptr<Worker>> workers, boost::asio::ssl::context* tls);
  // Call on the executor's thread. Accepts the connections that the system has already, then no
  // more.
  void stop();

  // The address as in a URL: 127.0.0.1:8000
  std::string address() const;

 private:
  using ErrorCodeOrOk = boost::system::error_code;
  ErrorCodeOrOk listen(const boost::asio::io_context::executor_type& executor,
                       const boost::asio::ip::tcp::endpoint& endpoint);
  struct Addresses;
  ErrorCodeOrOk listen_on(const boost::asio::io_context::executor_type& executor,
                          const Addresses& addresses, std::uint16_t port);
  struct Accepting;

  std::size_t next_home();
  void take(std::size_t home, Socket socket);
  void seat(std::size_t home, Socket socket);
  void make_room(std::size_t home, std::size_t asked, Socket socket, ConnectionPlace place);

  const std::size_t connections_max_;
  std::vector<Acceptor> acceptors_;
  std::span<const std::unique_ptr<Worker>> workers_;
  boost::asio::ssl::context* tls_ = nullptr;
  std::size_t next_worker_ = 0;
  // Shared with connections whose session may not have started.
  std::shared_ptr<ConnectionCounts> counts_;
};

}  // namespace stator
