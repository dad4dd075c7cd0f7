// ScriptedHttpServer: responds to requests on a free port of this machine as a function says.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "server/options/options.h"

namespace stator {

class ScriptedHttpServer {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  using Respond = std::function<Response(const Request&)>;

  // `respond` runs on another thread, for one request at a time.
  explicit ScriptedHttpServer(Respond respond)
      : respond_{std::move(respond)}, thread_{[this] { serve(); }} {}
  ~ScriptedHttpServer() {
    is_stopping_ = true;
    boost::asio::ip::tcp::socket wake{io_};
    boost::system::error_code ignored;
    wake.connect(acceptor_.local_endpoint(), ignored);
    wake.close(ignored);
    thread_.join();
  }
  ScriptedHttpServer(const ScriptedHttpServer&) = delete;
  ScriptedHttpServer& operator=(const ScriptedHttpServer&) = delete;

  HealthOptions address() const {
    HealthOptions server;
    server.host = "127.0.0.1";
    server.port = acceptor_.local_endpoint().port();
    server.timeout = std::chrono::seconds{30};
    return server;
  }

 private:
  void serve() {
    while (!is_stopping_) {
      boost::system::error_code error;
      boost::asio::ip::tcp::socket socket{io_};
      acceptor_.accept(socket, error);
      // Each connection has one request.
      boost::beast::flat_buffer buffer;
      Request request;
      boost::beast::http::read(socket, buffer, request, error);
      if (error) continue;
      Response response = respond_(request);
      response.keep_alive(false);
      response.prepare_payload();
      boost::beast::http::write(socket, response, error);
    }
  }

  const Respond respond_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace stator
