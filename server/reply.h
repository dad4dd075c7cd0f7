// ReplyWriter: an answer's head and body as one run of bytes, with every header the service sends
// (conformance/observed/wire.md 3).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "server/http_request.h"
#include "server/origin_policy.h"

namespace stator {

// What to answer. The views are read during write() only, but for a body that stays.
struct Answer {
  std::uint16_t status = 200;
  std::string_view content_type = {};  // empty: no such header
  std::string_view body = {};
  std::string_view explanation = {};  // x-stator-explain; empty: no such header
  std::string_view allow = {};        // the methods there are; empty: no such header
  bool body_stays = false;            // until the answer is sent: a long one need not be copied
  bool is_preflight = false;          // tells a browser what it may send
  bool closes = false;                // the connection ends behind it
};

// Makes the 52 characters of x-amzn-RequestId: 26 random base-32 digits and the constant tail seen
// on real ones.
class RequestIds {
 public:
  static constexpr std::size_t kChars = 52;

  explicit RequestIds(std::uint64_t seed) : state_(seed) {}
  void append(std::string& out);

 private:
  std::uint64_t next();

  std::uint64_t state_;
};

// Belongs to one thread.
class ReplyWriter {
 public:
  // `origins` tells which pages may read answers. `clock` must outlive this.
  ReplyWriter(const Clock& clock, std::uint64_t seed, OriginPolicy origins);

  const OriginPolicy& origins() const { return origins_; }
  // Of the last answer; empty where it had none. A view until the next one.
  std::string_view last_request_id() const { return last_id_; }

  // Appends to `out`; what comes back is to be sent behind it: a long body that stays, or nothing.
  // `request` decides about compression, CORS, Connection and, for HEAD, the missing body.
  [[nodiscard]] std::string_view write(const HttpRequest& request, const Answer& answer,
                                       std::string& out);

  // Appends an answer with an empty body to what could not be read as a request; the connection
  // ends behind it. For 413 the service's own form: chunked, without request id.
  void write_refusal(std::uint16_t status, std::string& out);

 private:
  void append_date(std::string& out);
  void append_request_id(std::string& out);
  void append_cors(const HttpRequest& request, bool is_preflight, bool is_explained,
                   std::string& out) const;

  const Clock& clock_;
  RequestIds ids_;
  OriginPolicy origins_;
  std::string last_id_;
  std::int64_t date_s_ = -1;
  std::string date_;
  std::string packed_;  // the compressed body while it is written
};

// What a client that sent `Expect: 100-continue` waits for.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The same for a connection that cannot be served at all.
inline constexpr std::string_view kServiceUnavailable =
    "HTTP/1.1 503 Service Unavailable\r\nServer: Server\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

// "Thu, 01 Jan 1970 00:00:00 GMT"
std::string http_date(std::int64_t unix_s);

}  // namespace stator
