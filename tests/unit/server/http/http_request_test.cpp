// server/http/http_request.cpp: what is kept of a request, in pieces of every size, and what is
// refused.

#include "server/http/http_request.h"

#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

using test::Feeder;
using Progress = HttpRequestParser::Progress;

struct Case {
  std::string_view bytes;
  Method method;
  std::string_view target, body;
  bool keeps_alive;
};

constexpr Case kGood[] = {
    {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", Method::Post, "/", "{}", true},
    {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", Method::Post, "/", "", true},
    {"POST / HTTP/1.1\r\nHost: h\r\n\r\n", Method::Post, "/", "", true},
    {"GET /?a=b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", Method::Get, "/?a=b", "", false},
    {"GET / HTTP/1.0\r\n\r\n", Method::Get, "/", "", false},
    {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", Method::Get, "/", "", true},
    {"\r\n\r\nHEAD /x HTTP/1.1\r\nHost: h\r\n\r\n", Method::Head, "/x", "", true},
    {"BREW / HTTP/1.1\r\nHost: h\r\n\r\n", Method::Other, "/", "", true},
    {"OPTIONS * HTTP/1.1\r\nHost: h\r\nOrigin: o\r\n\r\n", Method::Options, "*", "", true},
    {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
     "chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
     Method::Post, "/", "abc0123456789", true},
    {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Amz-Target: "
     "t\r\n\r\n",
     Method::Post, "/", "a", true},
};

TEST_CASE("http request: every split gives the same request", "[server]") {
  for (const Case& c : kGood) {
    INFO(c.bytes);
    for (std::size_t split = 0; split <= c.bytes.size(); ++split) {
      Feeder feeder;
      Progress progress = Progress::NeedMore;
      if (split > 0) progress = feeder.feed(c.bytes.substr(0, split));
      if (progress == Progress::NeedMore) progress = feeder.feed(c.bytes.substr(split));
      REQUIRE(progress == Progress::Complete);
      const HttpRequest& request = feeder.request();
      REQUIRE(request.method() == c.method);
      REQUIRE(request.target() == c.target);
      REQUIRE(request.body() == c.body);
      REQUIRE(request.keeps_alive() == c.keeps_alive);
      REQUIRE(feeder.pending().empty());
    }
    Feeder by_byte;
    REQUIRE(by_byte.feed_in_pieces(c.bytes, 1) == Progress::Complete);
    REQUIRE(by_byte.request().body() == c.body);
  }
}

TEST_CASE("http request: no proper prefix is complete", "[server]") {
  for (const Case& c : kGood) {
    for (std::size_t size = 1; size < c.bytes.size(); ++size) {
      Feeder feeder;
      REQUIRE(feeder.feed(c.bytes.substr(0, size)) == Progress::NeedMore);
    }
  }
}

TEST_CASE("http request: keeps the headers it knows, whatever their case", "[server]") {
  Feeder feeder;
  REQUIRE(feeder.feed("POST /p?q=1&r HTTP/1.1\r\nHOST:  a.b:80 \r\nx-amz-TARGET: T.Op\r\n"
                      "Accept-Encoding: gzip\r\nAccept-Encoding: deflate\r\nX-Other: z\r\n"
                      "Date:\r\nContent-Encoding: gzip\r\n\r\n") == Progress::Complete);
  const HttpRequest& request = feeder.request();
  CHECK(request.path() == "/p");
  CHECK(request.query() == "q=1&r");
  CHECK(request.header(Header::Host) == "a.b:80");
  CHECK(request.header(Header::XAmzTarget) == "T.Op");
  CHECK(request.header(Header::AcceptEncoding) == "gzip");
  CHECK(request.has(Header::Date));
  CHECK(request.header(Header::Date).empty());
  CHECK_FALSE(request.has(Header::Origin));
  CHECK_FALSE(request.has_repeated_encoding());
}

TEST_CASE("http request: every header of the enum is kept under its name", "[server]") {
  constexpr std::string_view kNames[kHeaderCount] = {"Accept",
                                                     "amz-SDK-request",
                                                     "Accept-Encoding",
                                                     "ACCESS-CONTROL-REQUEST-HEADERS",
                                                     "access-control-request-method",
                                                     "Authorization",
                                                     "content-encoding",
                                                     "Content-type",
                                                     "DATE",
                                                     "Expect",
                                                     "Host",
                                                     "If-None-Match",
                                                     "lambda-runtime-Function-error-type",
                                                     "Lambda-Runtime-Function-Response-Mode",
                                                     "Mcp-Method",
                                                     "MCP-NAME",
                                                     "mcp-Protocol-version",
                                                     "oRIGIN",
                                                     "User-Agent",
                                                     "X-Amz-Client-Context",
                                                     "X-Amz-Date",
                                                     "X-Amz-Invocation-Type",
                                                     "X-AMZ-LOG-type",
                                                     "X-AMZ-TARGET",
                                                     "X-Stator-Console",
                                                     "x-stator-dry-run",
                                                     "x-Stator-explain",
                                                     "x-stator-FAULT",
                                                     "x-stator-LOG",
                                                     "X-STATOR-TOKEN"};
  std::string bytes = "GET / HTTP/1.1\r\nX-Amz-Targets: no\r\nX-Amz-Dat: no\r\n";
  for (const std::string_view name : kNames)
    bytes.append(name).append(": of ").append(name).append("\r\n");
  Feeder feeder;
  REQUIRE(feeder.feed(bytes + "\r\n") == Progress::Complete);
  for (std::size_t i = 0; i < kHeaderCount; ++i)
    CHECK(feeder.request().header(static_cast<Header>(i)) == "of " + std::string(kNames[i]));
}

TEST_CASE("http request: a tool of the program's own is known by its User-Agent, exactly",
          "[server]") {
  const auto is_of_own_tool = [](const std::string& fields) {
    Feeder feeder;
    REQUIRE(feeder.feed("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n") == Progress::Complete);
    return feeder.request().is_of_own_tool();
  };
  for (const char* const tool : {"import", "export", "copy", "seed", "console"})
    CHECK(is_of_own_tool("user-agent: stator-" + std::string(tool) + "\r\n"));
  for (const char* const other : {"", "stator", "Stator-import", "stator-import/0.1.0",
                                  "stator-import x", "x stator-import", "stator-imports"})
    CHECK_FALSE(is_of_own_tool("User-Agent: " + std::string(other) + "\r\n"));
  CHECK_FALSE(is_of_own_tool(""));
  CHECK_FALSE(is_of_own_tool("User-Agent: curl\r\nUser-Agent: stator-import\r\n"));
}

TEST_CASE("http request: trailers change nothing", "[server]") {
  Feeder feeder;
  REQUIRE(feeder.feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "1\r\nx\r\n0\r\nHost: b\r\nX-Amz-Target: t\r\n\r\n") == Progress::Complete);
  CHECK(feeder.request().header(Header::Host) == "a");
  CHECK_FALSE(feeder.request().has(Header::XAmzTarget));
}

TEST_CASE("http request: refuses what is not HTTP/1", "[server]") {
  constexpr std::string_view kBad[] = {
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x16\x03\x01\x02\x00 hello \r\n\r\n",
      "POST /\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nName\x01: v\r\n\r\n",
      "POST / HTTP/1.1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nOrigin: a\r\n b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nOrigin:\r\n\tb\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
      "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nOrigin: a\x01z\r\n\r\n",
  };
  for (const std::string_view bytes : kBad) {
    INFO(bytes);
    Feeder whole;
    CHECK(whole.feed(bytes) == Progress::Malformed);
    Feeder by_byte;
    CHECK(by_byte.feed_in_pieces(bytes, 1) == Progress::Malformed);
  }
}

TEST_CASE("http request: refuses line ends without CR", "[server]") {
  CHECK(Feeder{}.feed("POST / HTTP/1.1\nHost: h\n\n") == Progress::Malformed);
  CHECK(Feeder{}.feed("POST / HTTP/1.1\r\nHost: h\n\r\n\r\n") == Progress::Malformed);
}

TEST_CASE("http request: headers together up to 16 KB, a request line up to 16 KB", "[server]") {
  constexpr std::size_t kMax = 16 * 1024;
  const auto with_headers = [](std::size_t bytes) {
    std::string text = "POST / HTTP/1.1\r\nHost: h\r\n";
    for (std::size_t left = bytes - 9; left > 0;) {  // the line of Host has 9
      const std::size_t line = left > 1100 ? 1000 : left;
      text += "a: " + std::string(line - 5, 'x') + "\r\n";
      left -= line;
    }
    return text + "\r\n";
  };
  const auto with_line = [](std::size_t bytes) {
    return "POST /" + std::string(bytes - 17, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  };
  for (const std::size_t piece : {std::size_t{100'000}, std::size_t{977}}) {
    CHECK(Feeder{}.feed_in_pieces(with_headers(kMax), piece) == Progress::Complete);
    CHECK(Feeder{}.feed_in_pieces(with_headers(kMax + 1), piece) == Progress::Malformed);
    CHECK(Feeder{}.feed_in_pieces(with_line(kMax), piece) == Progress::Complete);
    CHECK(Feeder{}.feed_in_pieces(with_line(kMax + 1), piece) == Progress::Malformed);
  }
}

TEST_CASE("http request: bodies up to 16 MiB", "[server]") {
  constexpr std::size_t kMax = 16 * 1024 * 1024;
  const std::string announced = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ";
  SECTION("announced") {
    Feeder feeder;
    REQUIRE(feeder.feed(announced + std::to_string(kMax) + "\r\n\r\n") == Progress::NeedMore);
    CHECK(feeder.request().body().capacity() <= 64 * 1024);
    REQUIRE(feeder.feed(std::string(kMax, ' ')) == Progress::Complete);
    CHECK(feeder.request().body().size() == kMax);
    CHECK(Feeder{}.feed(announced + std::to_string(kMax + 1) + "\r\n\r\n") ==
          Progress::BodyTooLarge);
    CHECK(Feeder{}.feed(announced + "18446744073709551615\r\n\r\n") == Progress::BodyTooLarge);
  }
  SECTION("in chunks") {
    const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string half = "800000\r\n" + std::string(kMax / 2, ' ') + "\r\n";
    Feeder feeder;
    REQUIRE(feeder.feed(head + half + half) == Progress::NeedMore);
    CHECK(feeder.feed("1\r\n") == Progress::BodyTooLarge);
    Feeder exact;
    REQUIRE(exact.feed(head + half + half + "0\r\n\r\n") == Progress::Complete);
    CHECK(exact.request().body().size() == kMax);
  }
}

TEST_CASE("http request: a parser is used again and keeps little", "[server]") {
  Feeder feeder;
  const std::string big(1024 * 1024, 'x');
  REQUIRE(feeder.feed("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n" + big +
                      "GET /b HTTP/1.1\r\nHost: h\r\n") == Progress::Complete);
  CHECK(feeder.pending() == "GET /b HTTP/1.1\r\nHost: h\r\n");
  feeder.parser().reset();
  CHECK(feeder.request().body().capacity() <= 64 * 1024);
  CHECK_FALSE(feeder.request().has(Header::Host));
  REQUIRE(feeder.feed("\r\n") == Progress::Complete);
  CHECK(feeder.request().target() == "/b");
}

TEST_CASE("http request: tells when the client waits for 100-continue", "[server]") {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n";
  Feeder feeder;
  REQUIRE(feeder.feed(head) == Progress::NeedMore);
  CHECK_FALSE(feeder.parser().expects_continue());
  REQUIRE(feeder.feed("\r\n") == Progress::NeedMore);
  CHECK(feeder.parser().expects_continue());
  REQUIRE(feeder.feed("{") == Progress::NeedMore);
  CHECK_FALSE(feeder.parser().expects_continue());
  REQUIRE(feeder.feed("}") == Progress::Complete);
  CHECK_FALSE(feeder.parser().expects_continue());
}

}  // namespace
}  // namespace stator
