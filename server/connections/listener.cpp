// See listener.h.

#include "server/connections/listener.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/connections/session.h"
#include "server/connections/tasks.h"
#include "server/http/reply.h"
#include "server/log/log.h"
#include "server/threads/worker.h"

namespace stator {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Executor = Worker::Executor;

// Pause of the accept loop when the process has no descriptor left.
constexpr std::chrono::milliseconds kAcceptRest{100};
// With port 0: attempts to find a port that is free on both addresses.
constexpr int kPortAttemptsMax = 16;
// Pause between two attempts at a port that is in use.
constexpr std::chrono::milliseconds kPortPause{10};
// Connections above the limit that may ask for health, or wait until another one is closed.
constexpr std::size_t kGuestsMax = 16;
// Descriptors that are not connections: data, listeners, epoll, log, and the connections above the
// limit.
constexpr std::size_t kOtherDescriptors = 64 + kGuestsMax;
// If descriptors are few, the open ones are counted. These come later: two listeners, the data file
// reopened after a write failure, and a connection that is refused.
constexpr std::size_t kComingDescriptors = 5;

std::size_t guests_beside(std::size_t connections_max) {
  return std::min(kGuestsMax, 1 + connections_max / 4);
}

std::size_t count_open_descriptors(std::size_t end) {
  std::size_t count = 0;
  for (std::size_t fd = 0; fd < end; ++fd) count += fcntl(static_cast<int>(fd), F_GETFD) != -1;
  return count;
}

// How many connections fit into the `descriptors` of a process, besides those above the limit.
std::size_t possible_connections(std::size_t descriptors) {
  if (descriptors > 2 * kOtherDescriptors) return descriptors - kOtherDescriptors;
  const std::size_t taken = count_open_descriptors(descriptors) + kComingDescriptors;
  std::size_t possible = descriptors - std::min(descriptors, taken);
  while (possible > 0 && possible + guests_beside(possible) > descriptors - taken) --possible;
  return possible;
}

// Raises the descriptor limit to the maximum allowed. Returns the possible number of connections,
// at most `wanted`.
tl::expected<std::size_t, std::string> allowed_connections(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t possible = possible_connections(limit.rlim_cur);
  const std::string why = "the process may open " + std::to_string(limit.rlim_cur) + " files";
  if (possible == 0) return tl::unexpected("no connection is possible: " + why);
  if (possible < wanted)
    log::warn("only " + std::to_string(possible) + " connections at a time: " + why);
  return std::min(wanted, possible);
}

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string port = ":" + std::to_string(endpoint.port());
  if (endpoint.address().is_v6()) return "[" + endpoint.address().to_string() + "]" + port;
  return endpoint.address().to_string() + port;
}

bool is_family_missing(const boost::system::error_code& error) {
  return error == asio::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available;
}

void refuse(Socket socket, bool is_tls) {
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  if (!is_tls) socket.write_some(asio::buffer(kServiceUnavailable), ignored);
  socket.shutdown(asio::socket_base::shutdown_both, ignored);
}

}  // namespace

// The accept loop of one acceptor.
struct Listener::Accepting {
  static Task<void> run(Listener& listener, Acceptor& acceptor) {
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>, Executor>
        rest{acceptor.get_executor()};
    bool was_refused = false;  // told once
    for (;;) {
      const std::size_t home = listener.next_home();
      Worker& worker = *listener.workers_[home];
      auto [error, socket] = co_await acceptor.async_accept(worker.executor(), use_tuple);
      if (!error) listener.take(home, std::move(socket));
      if (!acceptor.is_open()) co_return;
      if (error && !std::exchange(was_refused, true))
        log::warn("cannot accept connections: " + error.message());
      was_refused = !!error;
      if (!error) continue;
      rest.expires_after(kAcceptRest);
      co_await rest.async_wait(use_tuple);
      if (!acceptor.is_open()) co_return;
    }
  }
};

// The workers take turns.
std::size_t Listener::next_home() {
  return std::exchange(next_worker_, (next_worker_ + 1) % workers_.size());
}

// Serves a new connection, whose executor is the worker `home`.
void Listener::take(std::size_t home, Socket socket) {
  try {
    seat(home, std::move(socket));
  } catch (const std::exception& problem) {
    log::error(std::string{"cannot serve a connection: "} + problem.what());
  }
}

void Listener::seat(std::size_t home, Socket socket) {
  const std::size_t taken = counts_->open.load();
  if (taken < connections_max_) {
    ++counts_->accepted;
    start_session(*workers_[home], std::move(socket), tls_, ConnectionPlace{counts_},
                  SessionKind::Full);
  } else if (taken < connections_max_ + guests_beside(connections_max_)) {
    make_room(home, 0, std::move(socket), ConnectionPlace{counts_});
  } else {
    ++counts_->refused;
    refuse(std::move(socket), tls_ != nullptr);
  }
}

// Asks one worker after the other, each on its thread, to close an idle connection.
void Listener::make_room(std::size_t home, std::size_t asked, Socket socket,
                         ConnectionPlace place) {
  Worker& worker = *workers_[(home + asked) % workers_.size()];
  worker.post(
      [this, home, asked, &worker, socket = std::move(socket), place = std::move(place)]() mutable {
        const bool has_room = worker.close_longest_idle();
        if (!has_room && asked + 1 < workers_.size()) {
          return make_room(home, asked + 1, std::move(socket), std::move(place));
        }
        ++(has_room ? counts_->accepted : counts_->refused);
        start_session(*workers_[home], std::move(socket), tls_, std::move(place),
                      has_room ? SessionKind::Full : SessionKind::HealthOnly);
      });
}

// The addresses of a host. The second one, IPv6, has the port of the first and may be missing.
struct Listener::Addresses {
  asio::ip::address first;
  std::optional<asio::ip::address> second;

  static Addresses of(const Executor& executor, const std::string& host, ErrorCodeOrOk& error) {
    using asio::ip::address_v4;
    using asio::ip::address_v6;
    if (host == "localhost") return {address_v4::loopback(), address_v6::loopback()};
    if (host == "*") return {address_v4::any(), address_v6::any()};
    const auto address = asio::ip::make_address(host, error);
    if (!error) return {address, std::nullopt};
    asio::ip::basic_resolver<tcp, Executor> resolver{executor};
    const auto found = resolver.resolve(host, "", error);
    return {error ? address : found.begin()->endpoint().address(), std::nullopt};
  }
};

Listener::ErrorCodeOrOk Listener::listen(const Executor& executor, const tcp::endpoint& endpoint) {
  ErrorCodeOrOk error;
  Acceptor acceptor{executor};
  const auto succeeded = [&error] { return !error; };
  acceptor.open(endpoint.protocol(), error);
  if (succeeded()) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (succeeded() && endpoint.address().is_v6()) {
    acceptor.set_option(asio::ip::v6_only(true), error);
  }
  if (succeeded()) acceptor.bind(endpoint, error);
  if (succeeded()) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (succeeded()) acceptors_.push_back(std::move(acceptor));
  return error;
}

Listener::ErrorCodeOrOk Listener::listen_on(const Executor& executor, const Addresses& addresses,
                                            std::uint16_t port) {
  ErrorCodeOrOk error;
  for (int attempt = 0; attempt < kPortAttemptsMax; ++attempt) {
    acceptors_.clear();
    error = listen(executor, {addresses.first, port});
    if (error || !addresses.second) return error;
    const std::uint16_t chosen = acceptors_.front().local_endpoint().port();
    error = listen(executor, {*addresses.second, chosen});
    if (!error || is_family_missing(error)) return {};
    if (port != 0) return error;
  }
  return error;
}

tl::expected<std::unique_ptr<Listener>, std::string> Listener::open(
    const Executor& executor, const Options& options, std::shared_ptr<ConnectionCounts> counts) {
  const auto connections_max = allowed_connections(options.connections_max);
  if (!connections_max) return tl::unexpected(connections_max.error());
  auto listener = std::make_unique<Listener>(*connections_max, std::move(counts));
  ErrorCodeOrOk error;
  const Addresses addresses = Addresses::of(executor, options.host, error);
  if (error) {
    return tl::unexpected("cannot find the host " + options.host + ": " + error.message());
  }
  const auto deadline = std::chrono::steady_clock::now() + options.port_patience;
  error = listener->listen_on(executor, addresses, options.port);
  if (error == asio::error::address_in_use && options.port_patience.count() != 0) {
    log::warn("port " + std::to_string(options.port) + " is in use, trying again for " +
              std::to_string(options.port_patience.count()) + " ms");
  }
  while (error == asio::error::address_in_use && std::chrono::steady_clock::now() < deadline) {
    // The system does not notify of a free port.
    asio::steady_timer{executor, kPortPause}.wait();
    error = listener->listen_on(executor, addresses, options.port);
  }
  if (error) {
    return tl::unexpected("cannot listen on " + options.host + ":" + std::to_string(options.port) +
                          ": " + error.message());
  }
  return listener;
}

void Listener::start(std::span<const std::unique_ptr<Worker>> workers, asio::ssl::context* tls) {
  workers_ = workers;
  tls_ = tls;
  for (Acceptor& acceptor : acceptors_) {
    asio::co_spawn(acceptor.get_executor(), Accepting::run(*this, acceptor), asio::detached);
  }
}

void Listener::stop() {
  for (Acceptor& acceptor : acceptors_) {
    // Connections that the system has accepted already may have sent a request.
    ErrorCodeOrOk error;
    acceptor.non_blocking(true, error);
    while (!error) {
      const std::size_t home = next_home();
      Socket socket{workers_[home]->executor()};
      acceptor.accept(socket, error);
      if (!error) take(home, std::move(socket));
    }
    acceptor.close(error);
  }
}

std::string Listener::address() const { return text_of(acceptors_.front().local_endpoint()); }

}  // namespace stator
