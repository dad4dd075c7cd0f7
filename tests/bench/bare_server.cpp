// What the framework costs by itself: the shortest sensible Beast server, one thread, one coroutine
// per connection, keep-alive, which answers every request with the same JSON. Stator is measured
// against it. Usage: bench_bare_server PORT (0 picks one); prints where it listens.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "tests/bench/item.h"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr auto use_tuple = asio::as_tuple(asio::use_awaitable);

asio::awaitable<void> serve(beast::tcp_stream stream, const std::string& body) {
  beast::flat_buffer buffer;
  for (;;) {
    http::request<http::string_body> request;
    stream.expires_after(std::chrono::seconds(30));
    auto [read_error, received] = co_await http::async_read(stream, buffer, request, use_tuple);
    if (read_error) break;
    http::response<http::string_body> response{http::status::ok, request.version()};
    response.set(http::field::server, "bare");
    response.set(http::field::content_type, "application/x-amz-json-1.0");
    response.keep_alive(request.keep_alive());
    response.body() = body;
    response.prepare_payload();
    auto [write_error, sent] = co_await http::async_write(stream, response, use_tuple);
    if (write_error || !request.keep_alive()) break;
  }
  beast::error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, const std::string& body) {
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(use_tuple);
    if (error) co_return;
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(acceptor.get_executor(), serve(beast::tcp_stream(std::move(socket)), body),
                   asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<unsigned short>(argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0);
  const std::string body = bench::get_item_answer(0);
  asio::io_context context{1};
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), port}};
  std::printf("listening on http://127.0.0.1:%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&](beast::error_code, int) { context.stop(); });
  asio::co_spawn(context, accept_all(acceptor, body), asio::detached);
  context.run();
  return 0;
}
