// server/http/runtime_head.cpp: heads of requests to the Runtime API, in pieces of every size; and
// their trailers, as the parser keeps them.

#include "server/http/runtime_head.h"

#include <catch2/catch.hpp>

#include "server/http/request_kind.h"
#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

using Start = RuntimeHead::Start;

constexpr std::string_view kCause = "Lambda-Runtime-Function-XRay-Error-Cause: ";
constexpr std::string_view kLine = "POST /2018-06-01/runtime/invocation/1/error HTTP/1.1\r\n";

TEST_CASE("runtime head: which requests are meant", "[server]") {
  CHECK(RuntimeHead::start_of(kLine) == Start::Yes);
  CHECK(RuntimeHead::start_of("POST /_stator/function/f/x") == Start::Yes);
  CHECK(RuntimeHead::start_of("P") == Start::TooShortToTell);
  CHECK(RuntimeHead::start_of("POST /_stator/func") == Start::TooShortToTell);
  CHECK(RuntimeHead::start_of("POST / HTTP/1.1") == Start::No);
  CHECK(RuntimeHead::start_of("GET /2018-06-01/runtime/invocation/next") == Start::No);
}

TEST_CASE("runtime head: leaves out one header, however long", "[server]") {
  const std::string rest = "Host: h\r\nContent-Length: 0\r\n\r\n";
  for (const std::size_t length : {0U, 1U, 100'000U, 1'000'000U}) {
    std::string head(kLine);
    head.append(kCause).append(std::string(length, 'x')).append("\r\n").append(rest);
    for (const std::size_t piece : {1U, 7U, 4'096U, 2'000'000U}) {
      if (piece == 1 && length > 100'000) continue;
      CAPTURE(length, piece);
      RuntimeHead left(1'000);
      std::size_t at = 0;
      auto progress = RuntimeHead::Progress::NeedMore;
      const std::string bytes = head + "body";
      while (progress == RuntimeHead::Progress::NeedMore && at < bytes.size()) {
        const auto fed = left.feed(std::string_view(bytes).substr(at, piece));
        at += fed.consumed;
        progress = fed.progress;
      }
      CHECK(progress == RuntimeHead::Progress::Complete);
      CHECK(at == head.size());
      CHECK(left.text() == std::string(kLine) + rest);
    }
  }
}

TEST_CASE("runtime head: has bounds", "[server]") {
  const auto fed = [](std::string_view bytes) { return RuntimeHead(1'000).feed(bytes).progress; };
  CHECK(fed(std::string(1'001, 'x')) == RuntimeHead::Progress::TooLong);
  CHECK(fed(std::string(kCause) + std::string(1'000'000, 'x')) == RuntimeHead::Progress::NeedMore);
  CHECK(fed(std::string(kCause) + std::string(1'200'000, 'x')) == RuntimeHead::Progress::TooLong);
  // A folded line would become part of the line before.
  CHECK(fed(std::string(kCause) + "x\r\n y\r\n\r\n") == RuntimeHead::Progress::TooLong);
}

TEST_CASE("runtime head: the parser reads requests without the header", "[server]") {
  for (const std::size_t piece : {1U, 50U, 4'096U, 1'000'000U}) {
    CAPTURE(piece);
    test::Feeder feeder;
    std::string bytes(kLine);
    bytes.append("Host: h\r\n").append(kCause).append(std::string(60'000, 'x'));
    bytes.append("\r\nContent-Length: 2\r\n\r\n{}GET");
    REQUIRE(feeder.feed_in_pieces(bytes, piece) == HttpRequestParser::Progress::Complete);
    CHECK(is_runtime_request(feeder.request()));
    CHECK(feeder.request().body() == "{}");
    CHECK(feeder.request().header(Header::Host) == "h");
    // Other long headers have the limit of all requests.
    test::Feeder other;
    const std::string longer = std::string(kLine) + "X: " + std::string(60'000, 'x') + "\r\n";
    CHECK(other.feed_in_pieces(longer, piece) == HttpRequestParser::Progress::Malformed);
  }
}

TEST_CASE("runtime head: only the Runtime API has a trailer", "[server]") {
  const std::string rest =
      " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
      "Lambda-Runtime-Function-Error-Type:  a.B \r\nOther:\r\n\r\n";
  for (const std::size_t piece : {1U, 5U, 4'096U}) {
    test::Feeder feeder;
    REQUIRE(feeder.feed_in_pieces("POST /2018-06-01/runtime/invocation/1/response" + rest, piece) ==
            HttpRequestParser::Progress::Complete);
    CHECK(feeder.request().trailer("lambda-runtime-function-error-type") == "a.B");
    CHECK(feeder.request().trailer("other").empty());
    CHECK(feeder.request().trailer("none").empty());
    feeder.parser().reset();
    REQUIRE(feeder.feed_in_pieces("POST /" + rest, piece) == HttpRequestParser::Progress::Complete);
    CHECK(feeder.request().trailer("lambda-runtime-function-error-type").empty());
  }
}

}  // namespace
}  // namespace stator
