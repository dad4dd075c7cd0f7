#include "server/client/http_connection.h"

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http.hpp>

#include "server/options/server_address.h"

namespace stator {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using NetError = boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket&>;

// Resolves the addresses to connect to. For localhost and for a server on all addresses these are
// 127.0.0.1 and ::1.
tl::expected<std::vector<tcp::endpoint>, NetError> endpoints_of(asio::io_context& io,
                                                                const HealthOptions& server) {
  const tcp::endpoint loopback_4{asio::ip::address_v4::loopback(), server.port};
  const tcp::endpoint loopback_6{asio::ip::address_v6::loopback(), server.port};
  if (named_host(server) == "localhost") return std::vector{loopback_4, loopback_6};
  if (server.host == "0.0.0.0") return std::vector{loopback_4};
  if (server.host == "::") return std::vector{loopback_6, loopback_4};
  NetError error;
  tcp::resolver resolver{io};
  const auto found = resolver.resolve(server.host, std::to_string(server.port), error);
  if (error) return tl::unexpected(error);
  return std::vector<tcp::endpoint>(found.begin(), found.end());
}

std::string why_text(const HealthOptions& server, const NetError& error) {
  if (error == asio::error::timed_out) {
    return "no answer within " + wait_text(server.timeout);
  }
  if (error == http::error::end_of_stream) return "closed without an answer";
  if (error == http::error::partial_message) return "closed within an answer";
  if (error == http::error::body_limit) return "the answer is too long";
  return error.message();
}

}  // namespace

// Asio's synchronous calls have no deadline, so each step is an asynchronous operation that runs
// until it ends or the deadline passes.
class HttpConnection::Line {
 public:
  Line(HealthOptions server, CertificateCheck check) : server_{std::move(server)}, check_{check} {
    if (server_.is_tls && check_ == CertificateCheck::System) tls_.set_default_verify_paths();
  }

  tl::expected<HttpClientResponse, HttpClientError> ask(const HttpClientRequest& question) {
    const bool was_kept = is_open_;
    auto answer = ask_once(question);
    const bool is_stale =
        was_kept && !answer && answer.error() != asio::error::timed_out && !is_interrupted_.load();
    if (is_stale) answer = ask_once(question);
    if (!answer) {
      const NetError& error = answer.error();
      return tl::unexpected(
          HttpClientError{why_text(server_, error), error == asio::error::timed_out});
    }
    return *std::move(answer);
  }

  // A handler that does nothing wakes run().
  void interrupt() {
    is_interrupted_ = true;
    asio::post(io_, [] {});
  }

 private:
  tl::expected<HttpClientResponse, NetError> ask_once(const HttpClientRequest& question) {
    deadline_ = std::chrono::steady_clock::now() + server_.timeout;
    NetError error = is_open_ ? NetError{} : open();
    if (error) {
      close();
      return tl::unexpected(error);
    }
    auto answer = stream_ ? exchange(*stream_, question) : exchange(socket_, question);
    if (!answer || !is_kept_) close();
    return answer;
  }

  // Runs one step. After a timeout or interrupt() nothing runs any more: the operation is destroyed
  // unfinished, or ends as cancelled before the next step.
  template <class Start>
  NetError run(const Start& start) {
    const auto result = std::make_shared<std::optional<NetError>>();
    start([result](const NetError& error, auto&&...) { *result = error; });
    io_.restart();
    while (!*result && !is_interrupted_ && io_.run_one_until(deadline_) != 0) continue;
    if (is_interrupted_) return asio::error::operation_aborted;
    return result->value_or(NetError{asio::error::timed_out});
  }

  NetError open() {
    if (const NetError error = connect()) return error;
    is_open_ = true;
    NetError ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    if (!server_.is_tls) return {};
    stream_.emplace(socket_, tls_);
    if (check_ == CertificateCheck::System) {
      stream_->set_verify_mode(asio::ssl::verify_peer);
      stream_->set_verify_callback(asio::ssl::host_name_verification{server_.host});
      SSL_ctrl(stream_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(server_.host.c_str()));
    }
    return run([this](auto done) {
      stream_->async_handshake(asio::ssl::stream_base::client, std::move(done));
    });
  }

  // Returns the first address's error.
  NetError connect() {
    const auto endpoints = endpoints_of(io_, server_);
    if (!endpoints) return endpoints.error();
    NetError first;
    for (const tcp::endpoint& endpoint : *endpoints) {
      const NetError error =
          run([&](auto done) { socket_.async_connect(endpoint, std::move(done)); });
      if (!error || error == asio::error::timed_out || is_interrupted_) return error;
      if (!first) first = error;
      NetError ignored;
      socket_.close(ignored);
    }
    return first;
  }

  void close() {
    is_open_ = false;
    NetError ignored;
    socket_.close(ignored);
    io_.restart();
    io_.poll();  // cancelled operations refer to the stream
    stream_.reset();
    buffer_.clear();
  }

  template <class Stream>
  tl::expected<HttpClientResponse, NetError> exchange(Stream& stream,
                                                      const HttpClientRequest& question) {
    const std::string_view usual_method = question.body.empty() ? "GET" : "POST";
    const auto method =
        http::string_to_verb(question.method.empty() ? usual_method : question.method);
    http::request<http::span_body<const char>> request{method, question.path, 11};
    request.body() = {question.body.data(), question.body.size()};
    request.set(http::field::host, host_text(server_));
    for (const auto& [name, value] : question.fields) request.set(name, value);
    request.keep_alive(question.keeps_connection);
    request.prepare_payload();
    http::response_parser<http::string_body> answer;
    answer.body_limit(question.response_bytes_max);
    answer.skip(method == http::verb::head);
    NetError error = run([&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (error) return abandoned(error);
    error = run([&](auto done) { http::async_read(stream, buffer_, answer, std::move(done)); });
    if (error) return abandoned(error);
    is_kept_ = question.keeps_connection && answer.get().keep_alive();
    HttpClientResponse response{answer.get().result_int(), std::move(answer.get().body())};
    for (const auto& field : answer.get())
      response.fields.emplace_back(field.name_string(), field.value());
    return response;
  }

  // Call while the objects that the operations refer to still exist.
  tl::unexpected<NetError> abandoned(const NetError& error) {
    NetError ignored;
    socket_.close(ignored);
    io_.restart();
    io_.poll();
    return tl::unexpected(error);
  }

  const HealthOptions server_;
  const CertificateCheck check_;
  std::chrono::steady_clock::time_point deadline_;
  std::atomic<bool> is_interrupted_{false};
  bool is_open_ = false;
  bool is_kept_ = false;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  tcp::socket socket_{io_};
  std::optional<TlsStream> stream_;
  boost::beast::flat_buffer buffer_;
};

HttpConnection::HttpConnection(const HealthOptions& server, CertificateCheck check)
    : line_{std::make_unique<Line>(server, check)} {}
HttpConnection::~HttpConnection() = default;
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;

tl::expected<HttpClientResponse, HttpClientError> HttpConnection::ask(
    const HttpClientRequest& question) {
  return line_->ask(question);
}

void HttpConnection::interrupt() { line_->interrupt(); }

std::string_view HttpClientResponse::field(std::string_view name) const {
  for (const auto& [own_name, value] : fields)
    if (boost::beast::iequals(own_name, name)) return value;
  return {};
}

std::string host_text(const HealthOptions& server) {
  const std::string host = named_host(server);
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string name = is_v6 ? "[" + host + "]" : host;
  const bool is_usual = server.port == (server.is_tls ? 443 : 80);
  return is_usual ? name : name + ":" + std::to_string(server.port);
}

std::string wait_text(std::chrono::milliseconds time) {
  const auto ms = time.count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

bool is_loopback(const HealthOptions& server) {
  const std::string host = named_host(server);
  if (host == "localhost" || host == "0.0.0.0" || host == "::") return true;
  NetError error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace stator
