// server/http/reply.cpp: the head's headers, one by one.

#include "server/http/reply.h"

#include <set>

#include <catch2/catch.hpp>

#include "server/http/compression.h"
#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

constexpr std::int64_t kNow_s = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT

class Replies {
 public:
  explicit Replies(std::string origins = "*")
      : writer_(clock_, 1, OriginPolicy({.origins = std::move(origins), .hosts = {}})) {}

  std::string to(const std::string& head, const Answer& answer) {
    test::Feeder feeder;
    REQUIRE(feeder.feed(head + "\r\n") == HttpRequestParser::Progress::Complete);
    std::string out;
    body_behind_ = writer_.write(feeder.request(), answer, out);
    return out;
  }
  std::string refusal(std::uint16_t status) {
    std::string out;
    writer_.write_refusal(status, {}, out);
    return out;
  }

  // What the last answer leaves to be sent behind it.
  std::string_view body_behind() const { return body_behind_; }

 private:
  std::string_view body_behind_;
  ManualClock clock_{Timestamp{kNow_s * 1'000'000}};
  ResponseWriter writer_;
};

std::string value_of(const std::string& reply, const std::string& name) {
  const std::size_t start = reply.find("\r\n" + name + ": ");
  if (start == std::string::npos || start > reply.find("\r\n\r\n")) return "(absent)";
  const std::size_t from = start + name.size() + 4;
  return reply.substr(from, reply.find("\r\n", from) - from);
}

std::string body_of(const std::string& reply) { return reply.substr(reply.find("\r\n\r\n") + 4); }

const std::string kPost = "POST / HTTP/1.1\r\nHost: h\r\n";

TEST_CASE("reply: head and body", "[server]") {
  const std::string reply =
      Replies{}.to(kPost, {.content_type = "application/x-amz-json-1.0", .body = "{}"});
  CHECK(reply.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(value_of(reply, "Server") == "Server");
  CHECK(value_of(reply, "Date") == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(value_of(reply, "Content-Type") == "application/x-amz-json-1.0");
  CHECK(value_of(reply, "Content-Length") == "2");
  CHECK(value_of(reply, "x-amz-crc32") == "2745614147");
  CHECK(value_of(reply, "Connection") == "(absent)");
  CHECK(value_of(reply, "Content-Encoding") == "(absent)");
  CHECK(value_of(reply, "Access-Control-Allow-Origin") == "(absent)");
  CHECK(body_of(reply) == "{}");
}

TEST_CASE("reply: statuses", "[server]") {
  Replies replies;
  for (const std::uint16_t status :
       std::initializer_list<std::uint16_t>{200, 400, 404, 421, 500, 503}) {
    CHECK(replies.to(kPost, {.status = status})
              .starts_with("HTTP/1.1 " + std::to_string(status) + " "));
  }
}

TEST_CASE("reply: request ids look like the service's and differ", "[server]") {
  Replies replies;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = value_of(replies.to(kPost, {}), "x-amzn-RequestId");
    REQUIRE(id.size() == 52);
    REQUIRE(id.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos);
    REQUIRE(id.ends_with("VV4KQNSO5AEMVJF66Q9ASUAAJG"));
    seen.insert(id);
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("reply: Connection is said where it is not the default", "[server]") {
  Replies replies;
  CHECK(value_of(replies.to(kPost, {.closes = true}), "Connection") == "close");
  CHECK(value_of(replies.to("GET / HTTP/1.0\r\nConnection: keep-alive\r\n", {}), "Connection") ==
        "keep-alive");
}

TEST_CASE("reply: HEAD gets the head alone", "[server]") {
  const std::string reply =
      Replies{}.to("HEAD / HTTP/1.1\r\nHost: h\r\n", {.status = 404, .body = "abc"});
  CHECK(value_of(reply, "Content-Length") == "3");
  CHECK(body_of(reply).empty());
}

TEST_CASE("reply: a long body that stays is not copied", "[server]") {
  Replies replies;
  const std::string long_body(16 * 1024, 'x');
  const std::string head = replies.to(kPost, {.body = long_body, .body_stays = true});
  CHECK(value_of(head, "Content-Length") == "16384");
  CHECK(body_of(head).empty());
  CHECK(replies.body_behind().data() == long_body.data());
  CHECK(replies.body_behind().size() == long_body.size());
  CHECK(replies.to(kPost, {.body = long_body}).ends_with(long_body));
  const std::string short_body = long_body.substr(1);
  CHECK(replies.to(kPost, {.body = short_body, .body_stays = true}).ends_with(short_body));
  CHECK(replies.body_behind().empty());
  // Nor is anything left to send where the body is packed, or not wanted.
  replies.to(kPost + "Accept-Encoding: gzip\r\n", {.body = long_body, .body_stays = true});
  CHECK(replies.body_behind().empty());
  replies.to("HEAD / HTTP/1.1\r\nHost: h\r\n", {.body = long_body, .body_stays = true});
  CHECK(replies.body_behind().empty());
}

TEST_CASE("reply: CORS", "[server]") {
  const std::string from_a = kPost + "Origin: http://a\r\n";
  const std::string plain = Replies{}.to(from_a, {});
  CHECK(value_of(plain, "Access-Control-Allow-Origin") == "*");
  CHECK(value_of(plain, "Access-Control-Expose-Headers") ==
        "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date");
  CHECK(value_of(plain, "Access-Control-Max-Age") == "(absent)");

  const std::string preflight = Replies{}.to(
      "OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: http://a\r\nAccess-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: x-amz-target, y\r\n",
      {.is_preflight = true});
  CHECK(value_of(preflight, "Access-Control-Allow-Methods") == "POST");
  CHECK(value_of(preflight, "Access-Control-Allow-Headers") == "x-amz-target, y");
  CHECK(value_of(preflight, "Access-Control-Max-Age") == "172800");

  const std::string listed = Replies{"http://b, http://a"}.to(from_a, {});
  CHECK(value_of(listed, "Access-Control-Allow-Origin") == "http://a");
  CHECK(value_of(listed, "Vary") == "Origin");
  CHECK(value_of(Replies{"http://b"}.to(from_a, {}), "Access-Control-Allow-Origin") == "(absent)");
}

TEST_CASE("reply: bodies from 4,096 bytes are compressed for those who ask", "[server]") {
  const std::string small(4095, 'x');
  const std::string large(4096, 'x');
  const std::string asking = kPost + "Accept-Encoding: gzip\r\n";
  Replies replies;
  CHECK(value_of(replies.to(asking, {.body = small}), "Content-Encoding") == "(absent)");
  CHECK(value_of(replies.to(kPost, {.body = large}), "Content-Encoding") == "(absent)");
  for (const auto& [name, encoding] :
       {std::pair{"gzip", Encoding::Gzip}, std::pair{"deflate", Encoding::Deflate}}) {
    const std::string reply =
        replies.to(kPost + "Accept-Encoding: " + name + "\r\n", {.body = large});
    CHECK(value_of(reply, "Content-Encoding") == name);
    const std::string packed = body_of(reply);
    CHECK(value_of(reply, "Content-Length") == std::to_string(packed.size()));
    CHECK(value_of(reply, "x-amz-crc32") == std::to_string(crc32_of(packed)));
    std::string unpacked;
    REQUIRE(inflate_body(packed, encoding, large.size(), unpacked) == Inflated::Ok);
    CHECK(unpacked == large);
  }
}

TEST_CASE("reply: refusals end the connection", "[server]") {
  Replies replies;
  const std::string too_large = replies.refusal(413);
  CHECK(too_large.starts_with("HTTP/1.1 413 "));
  CHECK(value_of(too_large, "Transfer-Encoding") == "chunked");
  CHECK(value_of(too_large, "Connection") == "close");
  CHECK(value_of(too_large, "x-amzn-RequestId") == "(absent)");
  CHECK(body_of(too_large) == "0\r\n\r\n");
  const std::string malformed = replies.refusal(400);
  CHECK(malformed.starts_with("HTTP/1.1 400 "));
  CHECK(value_of(malformed, "Content-Length") == "0");
  CHECK(value_of(malformed, "Connection") == "close");
  CHECK(value_of(malformed, "x-amzn-RequestId").size() == 52);
}

TEST_CASE("reply: HTTP dates", "[server]") {
  CHECK(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(http_date(951'782'400) == "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST_CASE("reply: a body that is compressed already", "[server]") {
  Replies replies;
  const std::string reply = replies.to(
      "GET /_stator/console/ HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n",
      {.body = std::string(2000, 'x'), .more_headers = "ETag: \"1\"\r\n", .is_gzip = true});
  CHECK(value_of(reply, "Content-Encoding") == "gzip");
  CHECK(value_of(reply, "Content-Length") == "2000");
  CHECK(value_of(reply, "ETag") == "\"1\"");
  CHECK(body_of(reply) == std::string(2000, 'x'));
}

TEST_CASE("reply: 304 has neither a body nor its length", "[server]") {
  const std::string reply = Replies{}.to("GET /_stator/console/ HTTP/1.1\r\nHost: h\r\n",
                                         {.status = 304, .more_headers = "ETag: \"1\"\r\n"});
  CHECK(reply.starts_with("HTTP/1.1 304 Not Modified\r\n"));
  CHECK(value_of(reply, "Content-Length") == "(absent)");
  CHECK(body_of(reply).empty());
}

TEST_CASE("reply: the admin path is protected, and pages of the console have a policy",
          "[server]") {
  const auto headers = [](const std::string& path) {
    return Replies{}.to("GET " + path + " HTTP/1.1\r\nHost: h\r\n", {.status = 404});
  };
  for (const char* const path : {"/_stator/console/", "/_stator/console", "/_stator/console/a"}) {
    CHECK(value_of(headers(path), "Content-Security-Policy").starts_with("default-src 'none'; "));
    CHECK(value_of(headers(path), "X-Content-Type-Options") == "nosniff");
  }
  for (const char* const path : {"/_stator/requests", "/metrics", "/_stator/consoles"}) {
    const std::string reply = headers(path);
    CHECK(value_of(reply, "Content-Security-Policy") == "(absent)");
    CHECK(value_of(reply, "X-Content-Type-Options") == "nosniff");
    CHECK(value_of(reply, "Referrer-Policy") == "no-referrer");
    CHECK(value_of(reply, "Cross-Origin-Opener-Policy") == "same-origin");
    CHECK(value_of(reply, "Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(value_of(reply, "X-Frame-Options") == "DENY");
  }
  CHECK(value_of(headers("/"), "X-Content-Type-Options") == "(absent)");
}

}  // namespace
}  // namespace stator
