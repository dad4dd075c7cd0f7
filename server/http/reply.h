// ResponseWriter: writes a response's head and body, with all headers of the service
// (conformance/observed/wire.md 3).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "server/http/accept_encoding.h"
#include "server/http/http_request.h"
#include "server/http/origin_policy.h"

namespace stator {

// The content of a response. write() reads the views during the call only, except a body that
// stays.
struct Answer {
  std::uint16_t status = 200;
  std::string_view content_type = {};  // empty: no such header
  std::string_view body = {};
  std::string_view explanation = {};   // x-stator-explain; empty: no such header
  std::string_view fault = {};         // x-stator-fault; empty: no such header
  std::string_view allow = {};         // the methods of this path; empty: no such header
  std::string_view more_headers = {};  // whole lines
  bool is_gzip = false;                // the body is compressed already
  bool body_stays = false;             // valid until it is sent, so a long one is not copied
  bool is_preflight = false;           // adds what the browser may send
  bool closes = false;                 // close the connection afterwards
};

// Generates x-amzn-RequestId: 52 characters, of which 26 are random base-32 digits and the rest is
// the constant tail of real ones.
class RequestIds {
 public:
  static constexpr std::size_t kChars = 52;

  explicit RequestIds(std::uint64_t seed) : state_(seed) {}
  void append(std::string& out);

 private:
  std::uint64_t next();

  std::uint64_t state_;
};

// One thread at a time.
class ResponseWriter {
 public:
  // `origins` decides which pages may read responses. `clock` must outlive this.
  ResponseWriter(const Clock& clock, std::uint64_t seed, OriginPolicy origins);

  const OriginPolicy& origins() const { return origins_; }
  // The id of the last response; empty if it had none. Valid until the next response.
  std::string_view last_request_id() const { return last_id_; }

  // Appends to `out`. Returns what to send after that: a long body that stays, or nothing.
  // `request` decides on compression, CORS, Connection and, for HEAD, the missing body.
  [[nodiscard]] std::string_view write(const HttpRequest& request, const Answer& answer,
                                       std::string& out);

  // Appends a response without the headers of the service, as one of another server.
  void write_foreign(const HttpRequest& request, const Answer& answer, std::string& out);

  // Appends the response to an unreadable request, with the body `why`. The connection must end
  // after it. Status 413 has the service's form: chunked, without request id and body.
  void write_refusal(std::uint16_t status, std::string_view why, std::string& out);

 private:
  void append_date(std::string& out);
  void append_request_id(std::string& out);
  static void append_body_headers(const HttpRequest& request, const Answer& answer,
                                  std::string_view body, Encoding encoding, std::string& out);
  void append_protection(const HttpRequest& request, std::string& out) const;
  void append_cors(const HttpRequest& request, const Answer& answer, std::string& out) const;

  const Clock& clock_;
  RequestIds ids_;
  OriginPolicy origins_;
  std::string last_id_;
  std::int64_t date_s_ = -1;
  std::string date_;
  std::string packed_;  // the compressed body during write()
};

// The interim response for `Expect: 100-continue`.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The response if the server has no capacity for a request or a connection.
inline constexpr std::string_view kServiceUnavailable =
    "HTTP/1.1 503 Service Unavailable\r\nServer: Server\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

// "Thu, 01 Jan 1970 00:00:00 GMT"
std::string http_date(std::int64_t unix_s);

}  // namespace stator
