// HttpConnection: a connection to a server as a client keeps it, in plain synchronous steps with a
// deadline each, for the commands that talk to one.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "server/options.h"

namespace stator {

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

using HttpField = std::pair<std::string_view, std::string>;

struct HttpQuestion {
  std::string_view path;
  std::span<const HttpField> fields;  // beside Host and Content-Length
  std::string_view body;              // empty: a GET, otherwise a POST
  bool keeps_connection = false;
};

struct NoAnswer {
  std::string why;       // in a few words
  bool is_late = false;  // the time was over
};

// Whom a certificate must convince.
enum class CertificateCheck : std::uint8_t {
  None,    // the user's own server
  System,  // its name, signed by an authority that the system knows
};

class HttpConnection {
 public:
  // Connects when asked for the first time. `server` is copied.
  HttpConnection(const HealthOptions& server, CertificateCheck check);
  ~HttpConnection();
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) = delete;

  // The answer within the server's timeout, or why there is none. A connection that was kept and
  // that the server has closed meanwhile is made anew once, so a question may arrive twice.
  tl::expected<HttpAnswer, NoAnswer> ask(const HttpQuestion& question);

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

// "http://localhost:8000", "https://[::1]:8000"
std::string address_text(const HealthOptions& server);

// "localhost:8000", what the field Host says; without a port that is the scheme's own.
std::string host_text(const HealthOptions& server);

// "200 ms", "60 s"
std::string wait_text(std::chrono::milliseconds time);

// Whether what it names is this machine by name or number.
bool is_loopback(const HealthOptions& server);

}  // namespace stator
