#include "server/own_client.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace stator {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kAnswerBytesMax = 64 * 1024;

// The server's --host as a client names it.
std::string named_host(const HealthOptions& options) {
  return options.host == "*" ? "localhost" : options.host;
}

// What to connect to: 127.0.0.1 and ::1 for localhost, as the server does, and also where it
// listens on all addresses.
tl::expected<std::vector<tcp::endpoint>, ErrorCode> endpoints_of(asio::io_context& io,
                                                                 const HealthOptions& options) {
  const tcp::endpoint loopback_4{asio::ip::address_v4::loopback(), options.port};
  const tcp::endpoint loopback_6{asio::ip::address_v6::loopback(), options.port};
  if (named_host(options) == "localhost") return std::vector{loopback_4, loopback_6};
  if (options.host == "0.0.0.0") return std::vector{loopback_4};
  if (options.host == "::") return std::vector{loopback_6, loopback_4};
  ErrorCode error;
  tcp::resolver resolver{io};
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error) return tl::unexpected(error);
  return std::vector<tcp::endpoint>(found.begin(), found.end());
}

// One question. Asio's synchronous calls know no deadline, so each step is an asynchronous one that
// is run to its end or to the deadline.
class Question {
 public:
  explicit Question(const HealthOptions& options)
      : options_{options}, deadline_{std::chrono::steady_clock::now() + options.timeout} {}

  // The answer, or why there is none.
  tl::expected<OwnAnswer, ErrorCode> ask(std::string_view path, const std::string& body) {
    if (const ErrorCode error = connect()) return tl::unexpected(error);
    if (!options_.is_tls) return exchange(socket_, path, body);
    asio::ssl::stream<tcp::socket&> stream{socket_, tls_};
    const ErrorCode error = run([&stream](auto done) {
      stream.async_handshake(asio::ssl::stream_base::client, std::move(done));
    });
    if (error) return tl::unexpected(error);
    return exchange(stream, path, body);
  }

 private:
  // After a step that ran out of time nothing runs any more: what it left is destroyed unfinished.
  template <class Start>
  ErrorCode run(const Start& start) {
    result_.reset();
    start([this](const ErrorCode& error, auto&&...) { result_ = error; });
    io_.restart();
    io_.run_until(deadline_);
    return result_.value_or(ErrorCode{asio::error::timed_out});
  }

  // The error is that of the first address.
  ErrorCode connect() {
    const auto endpoints = endpoints_of(io_, options_);
    if (!endpoints) return endpoints.error();
    ErrorCode first;
    for (const tcp::endpoint& endpoint : *endpoints) {
      const ErrorCode error =
          run([&](auto done) { socket_.async_connect(endpoint, std::move(done)); });
      if (!error || error == asio::error::timed_out) return error;
      if (!first) first = error;
      ErrorCode ignored;
      socket_.close(ignored);
    }
    return first;
  }

  template <class Stream>
  tl::expected<OwnAnswer, ErrorCode> exchange(Stream& stream, std::string_view path,
                                              const std::string& body) {
    const auto method = body.empty() ? http::verb::get : http::verb::post;
    http::request<http::string_body> request{method, path, 11, body};
    request.set(http::field::host, named_host(options_));
    request.set(http::field::connection, "close");
    if (!body.empty()) request.set(http::field::content_type, "application/json");
    request.prepare_payload();
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> answer;
    answer.body_limit(kAnswerBytesMax);
    ErrorCode error = run([&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (error) return tl::unexpected(error);
    error = run([&](auto done) { http::async_read(stream, buffer, answer, std::move(done)); });
    if (error) return tl::unexpected(error);
    return OwnAnswer{answer.get().result_int(), std::move(answer.get().body())};
  }

  const HealthOptions& options_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<ErrorCode> result_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  tcp::socket socket_{io_};
};

std::string why_text(const HealthOptions& options, const ErrorCode& error) {
  if (error == asio::error::timed_out) {
    return "no answer within " + std::to_string(options.timeout.count()) + " ms";
  }
  if (error == http::error::end_of_stream) return "closed without an answer";
  return error.message();
}

}  // namespace

std::string address_text(const HealthOptions& options) {
  const std::string host = named_host(options);
  const bool is_v6 = host.find(':') != std::string::npos;
  return (options.is_tls ? "https://" : "http://") + (is_v6 ? "[" + host + "]" : host) + ":" +
         std::to_string(options.port);
}

tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body) {
  auto answer = Question{server}.ask(path, body);
  if (!answer) return tl::unexpected(why_text(server, answer.error()));
  return *std::move(answer);
}

}  // namespace stator
