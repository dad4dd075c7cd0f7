// See reply.h.

#include "server/http/reply.h"

#include <charconv>
#include <ctime>

#include "protocol/service/limits.h"
#include "server/http/compression.h"
#include "server/http/request_kind.h"

namespace stator {

namespace {

constexpr std::string_view kRequestIdTail = "VV4KQNSO5AEMVJF66Q9ASUAAJG";
constexpr std::string_view kBase32Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
// Usual size of everything but the body, reserved in one allocation.
constexpr std::size_t kHeadBytesUsual = 512;
// Headers of all responses of the admin path: no page embeds them, no browser guesses their type.
constexpr std::string_view kProtection =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "X-Frame-Options: DENY\r\n";
// Of the console: a page runs and loads what this server has, and nothing that an item brings.
constexpr std::string_view kContentPolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types svelte-trusted-html\r\n";
// A buffer for compressed bodies above this is freed.
constexpr std::size_t kPackedBytesKept = 64 * 1024;
// From this size on, copying a body costs more than sending it from its place.
constexpr std::size_t kLongBodyBytes = 16 * 1024;
constexpr std::uint16_t kNotModified = 304;
constexpr std::uint16_t kNoContent = 204;  // has no length either

std::string_view status_line(std::uint16_t status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 202:
      return "HTTP/1.1 202 Accepted\r\n";
    case 204:
      return "HTTP/1.1 204 No Content\r\n";
    case 302:
      return "HTTP/1.1 302 Found\r\n";
    case 304:
      return "HTTP/1.1 304 Not Modified\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 401:
      return "HTTP/1.1 401 Unauthorized\r\n";
    case 403:
      return "HTTP/1.1 403 Forbidden\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 413:
      return "HTTP/1.1 413 Request Entity Too Large\r\n";
    case 421:
      return "HTTP/1.1 421 Misdirected Request\r\n";
    case 429:
      return "HTTP/1.1 429 Too Many Requests\r\n";
    case 502:
      return "HTTP/1.1 502 Bad Gateway\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    case 504:
      return "HTTP/1.1 504 Gateway Timeout\r\n";
    case 507:
      return "HTTP/1.1 507 Insufficient Storage\r\n";
    default:
      return "HTTP/1.1 500 Internal Server Error\r\n";
  }
}

void append_decimal(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end.ptr);
}

template <class... Parts>
void append_all(std::string& out, const Parts&... parts) {
  (out.append(parts), ...);
}

}  // namespace

std::string http_date(std::int64_t unix_s) {
  static constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                         "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = unix_s;
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::string out;
  const auto two_digits = [&out](int value) {
    out.push_back(static_cast<char>('0' + value / 10));
    out.push_back(static_cast<char>('0' + value % 10));
  };
  append_all(out, kDays[static_cast<std::size_t>(parts.tm_wday)], ", ");
  two_digits(parts.tm_mday);
  append_all(out, " ", kMonths[static_cast<std::size_t>(parts.tm_mon)], " ",
             std::to_string(parts.tm_year + 1900), " ");
  two_digits(parts.tm_hour);
  out.push_back(':');
  two_digits(parts.tm_min);
  out.push_back(':');
  two_digits(parts.tm_sec);
  out.append(" GMT");
  return out;
}

// SplitMix64: request ids must differ but need not be secret.
std::uint64_t RequestIds::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

void RequestIds::append(std::string& out) {
  constexpr std::size_t kRandomChars = kChars - kRequestIdTail.size();
  constexpr std::size_t kCharsPerDraw = 12;  // 5 bits each
  std::array<char, kRandomChars> text;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kRandomChars; ++i) {
    if (i % kCharsPerDraw == 0) bits = next();
    text[i] = kBase32Digits[bits & 31];
    bits >>= 5;
  }
  out.append(text.data(), text.size()).append(kRequestIdTail);
}

ResponseWriter::ResponseWriter(const Clock& clock, std::uint64_t seed, OriginPolicy origins)
    : clock_(clock), ids_(seed), origins_(std::move(origins)) {}

void ResponseWriter::append_date(std::string& out) {
  const std::int64_t now_s = clock_.now().unix_s();
  if (now_s != date_s_) {
    date_s_ = now_s;
    date_ = http_date(now_s);
  }
  append_all(out, "Date: ", date_, "\r\n");
}

void ResponseWriter::append_request_id(std::string& out) {
  ids_.append(out);
  last_id_.assign(out, out.size() - RequestIds::kChars, RequestIds::kChars);
}

void ResponseWriter::append_cors(const HttpRequest& request, const Answer& answer,
                                 std::string& out) const {
  const OriginVerdict verdict = origins_.judge(request);
  if (verdict.varies) out.append("Vary: Origin\r\n");
  if (verdict.allowed_origin.empty()) return;
  append_all(out, "Access-Control-Allow-Origin: ", verdict.allowed_origin, "\r\n");
  out.append(
      "Access-Control-Expose-Headers: "
      "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date");
  if (!answer.explanation.empty()) out.append(",x-stator-explain");
  if (!answer.fault.empty()) out.append(",x-stator-fault");
  out.append("\r\n");
  if (!answer.is_preflight) return;
  if (request.has(Header::AccessControlRequestHeaders)) {
    append_all(out, "Access-Control-Allow-Headers: ",
               request.header(Header::AccessControlRequestHeaders), "\r\n");
  }
  if (request.has(Header::AccessControlRequestMethod)) {
    append_all(out,
               "Access-Control-Allow-Methods: ", request.header(Header::AccessControlRequestMethod),
               "\r\n");
  }
  out.append("Access-Control-Max-Age: 172800\r\n");
}

void ResponseWriter::append_protection(const HttpRequest& request, std::string& out) const {
  if (!origins_.is_for_admin_path(request)) return;
  out.append(kProtection);
  if (is_console_request(request)) out.append(kContentPolicy);
}

void ResponseWriter::append_body_headers(const HttpRequest& request, const Answer& answer,
                                         std::string_view body, Encoding encoding,
                                         std::string& out) {
  // The length of 304 would be that of the client's copy.
  if (answer.status != kNotModified && answer.status != kNoContent) {
    out.append("Content-Length: ");
    append_decimal(out, body.size());
    out.append("\r\n");
  }
  if (encoding != Encoding::Identity) {
    append_all(out, "Content-Encoding: ", encoding == Encoding::Gzip ? "gzip\r\n" : "deflate\r\n");
  }
  if (answer.closes) {
    out.append("Connection: close\r\n");
  } else if (request.is_http_1_0()) {
    out.append("Connection: keep-alive\r\n");
  }
}

std::string_view ResponseWriter::write(const HttpRequest& request, const Answer& answer,
                                       std::string& out) {
  std::string_view body = answer.body;
  Encoding encoding = answer.is_gzip ? Encoding::Gzip : Encoding::Identity;
  if (!answer.is_gzip && body.size() >= limits::kCompressedAnswerBytesMin &&
      request.has(Header::AcceptEncoding)) {
    encoding = negotiate_encoding(request.header(Header::AcceptEncoding));
    if (encoding != Encoding::Identity) {
      deflate_body(body, encoding, packed_);
      body = packed_;
    }
  }

  const bool is_packed_here = encoding != Encoding::Identity && !answer.is_gzip;
  const bool is_apart = answer.body_stays && !is_packed_here && body.size() >= kLongBodyBytes;
  out.reserve(out.size() + kHeadBytesUsual + (is_apart ? 0 : body.size()));
  append_all(out, status_line(answer.status), "Server: Server\r\n");
  append_date(out);
  if (!answer.content_type.empty()) {
    append_all(out, "Content-Type: ", answer.content_type, "\r\n");
  }
  if (!answer.allow.empty()) append_all(out, "Allow: ", answer.allow, "\r\n");
  if (!answer.explanation.empty())
    append_all(out, "x-stator-explain: ", answer.explanation, "\r\n");
  if (!answer.fault.empty()) append_all(out, "x-stator-fault: ", answer.fault, "\r\n");
  append_body_headers(request, answer, body, encoding, out);
  append_all(out, answer.more_headers, "x-amzn-RequestId: ");
  append_request_id(out);
  out.append("\r\nx-amz-crc32: ");
  append_decimal(out, crc32_of(body));
  out.append("\r\n");
  append_cors(request, answer, out);
  append_protection(request, out);
  out.append("\r\n");
  const bool has_body = request.method() != Method::Head;
  if (has_body && !is_apart) out.append(body);
  if (packed_.capacity() > kPackedBytesKept) std::string{}.swap(packed_);
  return has_body && is_apart ? body : std::string_view();
}

void ResponseWriter::write_foreign(const HttpRequest& request, const Answer& answer,
                                   std::string& out) {
  last_id_.clear();
  append_all(out, status_line(answer.status), answer.more_headers);
  if (!answer.fault.empty()) append_all(out, "x-stator-fault: ", answer.fault, "\r\n");
  append_body_headers(request, answer, answer.body, Encoding::Identity, out);
  append_cors(request, answer, out);
  append_all(out, "\r\n", answer.body);
}

void ResponseWriter::write_refusal(std::uint16_t status, std::string_view why, std::string& out) {
  if (status == 413) {
    last_id_.clear();
    out.append("HTTP/1.1 413 Request Entity Too Large\r\nServer: Server\r\n");
    append_date(out);
    out.append("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n");
    return;
  }
  append_all(out, status_line(status), "Server: Server\r\n");
  append_date(out);
  if (!why.empty()) out.append("Content-Type: text/plain\r\n");
  out.append("Content-Length: ");
  append_decimal(out, why.size());
  out.append("\r\nConnection: close\r\nx-amzn-RequestId: ");
  append_request_id(out);
  out.append("\r\nx-amz-crc32: ");
  append_decimal(out, crc32_of(why));
  append_all(out, "\r\n\r\n", why);
}

}  // namespace stator
