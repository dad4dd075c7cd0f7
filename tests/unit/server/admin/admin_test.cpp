// server/admin/admin.cpp: what a verb that is not let finish tells.
#include "server/admin/admin.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/maintainer.h"
#include "tests/unit/engine/engine_driver.h"
#include "tests/unit/server/metrics_under_test.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

class Client final : public Audience {
 public:
  bool is_waiting() noexcept override { return is_there; }
  bool is_there = true;
};

struct AdminUnderTest {
  explicit AdminUnderTest(std::chrono::milliseconds patience)
      : driver({}, clock),
        maintainer(driver.engine()),
        metrics(driver.engine(), settings, below),
        admin({driver.engine(), clock, maintainer, settings, metrics.metrics, /*recent=*/nullptr,
               patience}) {}

  AdminAnswer move(const std::string& body) {
    return answer("POST /_stator/clock HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  AdminAnswer answer(const std::string& text) {
    HttpRequestParser parser;
    REQUIRE(parser.feed(text).progress == HttpRequestParser::Progress::Complete);
    CHECK(Admin::is_meant(parser.request()));
    CHECK(Admin::is_long(parser.request()));
    Arena arena;
    return admin.answer(parser.request(), arena, client);
  }

  ManualClock below{Timestamp{1'798'761'600'000'000}};
  MovableClock clock{below};
  Settings settings;
  Client client;
  test::EngineDriver driver;
  Maintainer maintainer;
  test::MetricsUnderTest metrics;
  Admin admin;
};

constexpr std::string_view kStopped =
    R"({"error":"time has not come to 2027-01-01T01:00:00.000Z while this request could wait: )"
    R"(ask again to go on, it is 2027-01-01T00:00:00.000Z",)"
    R"("time":"2027-01-01T00:00:00.000Z","mode":"real","rate":1})";

TEST_CASE("admin: a move that may not wait says where time stands", "[server]") {
  AdminUnderTest impatient(0ms);
  const AdminAnswer answer = impatient.move(R"({"advance":"1h"})");
  CHECK(answer.status == 503);
  CHECK(answer.body == kStopped);
  CHECK(impatient.move(R"({"rate":60})").status == 200);  // takes no time
}

TEST_CASE("admin: metrics are text, and nobody's who left", "[server]") {
  AdminUnderTest server(1h);
  const std::string get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  const AdminAnswer answer = server.answer(get);
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(answer.body.starts_with("# HELP stator_"));
  server.client.is_there = false;
  CHECK(server.answer(get).status == 503);
}

TEST_CASE("admin: a move ends with its client and with the server", "[server]") {
  AdminUnderTest server(1h);
  CHECK(server.move(R"({"advance":"0s"})").status == 200);
  server.client.is_there = false;
  CHECK(server.move(R"({"advance":"1h"})").body == kStopped);
  server.client.is_there = true;
  server.admin.end();
  CHECK(server.move(R"({"advance":"1h"})").body == kStopped);
}

}  // namespace
}  // namespace stator
