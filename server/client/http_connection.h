// HttpConnection: a connection to a server, with synchronous steps that each have a deadline. For
// the commands that talk to a server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

struct HttpClientResponse {
  unsigned status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields = {};  // as the server wrote them

  // The value of a header, whose name may be in any case; empty without it.
  std::string_view field(std::string_view name) const;
};

using HttpField = std::pair<std::string_view, std::string>;

struct HttpClientRequest {
  std::string_view path;              // with the query
  std::span<const HttpField> fields;  // besides Host, unless it is one, and Content-Length
  std::string_view body;
  bool keeps_connection = false;
  std::string_view method = {};  // empty: GET without a body, POST with one
  // /_stator/capacity of 10,000 tables is some 20 MB.
  std::size_t response_bytes_max = std::size_t{256} << 20;  // of its body
};

struct HttpClientError {
  std::string why;       // in a few words
  bool is_late = false;  // the time was over
};

// How to verify the server's certificate.
enum class CertificateCheck : std::uint8_t {
  None,    // the user's own server
  System,  // its name, signed by an authority that the system trusts
};

class HttpConnection {
 public:
  // Connects at the first ask(). `server` is copied.
  HttpConnection(const HealthOptions& server, CertificateCheck check);
  ~HttpConnection();
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) = delete;

  // Returns the response within the server's timeout. If the server has closed a reused connection,
  // reconnects once, so a request may arrive twice.
  tl::expected<HttpClientResponse, HttpClientError> ask(const HttpClientRequest& question);

  // Ends ask() in flight, and each later one at once, as failed. From any thread.
  void interrupt();

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

// The Host header, such as "localhost:8000"; without the port if it is the scheme's default.
std::string host_text(const HealthOptions& server);

// "200 ms", "60 s"
std::string wait_text(std::chrono::milliseconds time);

// Whether `server` names this machine, by name or by address.
bool is_loopback(const HealthOptions& server);

}  // namespace stator
