// server/dispatch/admin.cpp: what a verb that is not let finish tells.
#include "server/dispatch/admin.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "server/admin/verbs.h"
#include "server/http/request_kind.h"
#include "server/threads/maintainer.h"
#include "tests/unit/engine/harness/engine_driver.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/reports/views/view_driver.h"
#include "tests/unit/server/harness/metrics_under_test.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

class Client final : public StopCondition {
 public:
  bool should_stop() noexcept override { return !is_there; }
  bool is_there = true;
};

struct AdminUnderTest {
  explicit AdminUnderTest(std::chrono::milliseconds patience)
      : driver({}, clock),
        maintainer(driver.engine()),
        metrics(driver.engine(), settings, below),
        admin({driver.engine(), clock, maintainer, settings, metrics.metrics, /*recent=*/nullptr,
               console, options, metrics.operations, Timestamp{}, patience},
              admin_verbs()) {}

  AdminResponse move(const std::string& body) {
    return answer("POST /_stator/clock HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  AdminResponse answer(const std::string& text) {
    HttpRequestParser parser;
    REQUIRE(parser.feed(text).progress == HttpRequestParser::Progress::Complete);
    CHECK(is_admin_request(parser.request()));
    CHECK(admin.place_of(parser.request()) != AdminPlace::AtOnce);
    Arena arena;
    return admin.answer(parser.request(), arena, queued, client);
  }

  // When the verbs were queued.
  std::chrono::steady_clock::time_point queued = std::chrono::steady_clock::now();
  ManualClock below{Timestamp{1'798'761'600'000'000}};
  MovableClock clock{below};
  Settings settings;
  Options options;
  Client client;
  test::EngineDriver driver;
  Maintainer maintainer;
  test::MetricsUnderTest metrics;
  Console console{{}};
  Admin admin;
};

constexpr std::string_view kStopped =
    R"({"error":"time has not come to 2027-01-01T01:00:00.000Z while this request could wait: )"
    R"(ask again to go on, it is 2027-01-01T00:00:00.000Z",)"
    R"("time":"2027-01-01T00:00:00.000Z","mode":"real","rate":1})";

TEST_CASE("admin: a move that may not wait says where time stands", "[server]") {
  AdminUnderTest impatient(0ms);
  const AdminResponse answer = impatient.move(R"({"advance":"1h"})");
  CHECK(answer.status == 503);
  CHECK(answer.body == kStopped);
  CHECK(impatient.move(R"({"rate":60})").status == 200);  // takes no time
}

TEST_CASE("admin: a move that waited for others too long says where time stands", "[server]") {
  AdminUnderTest server(1h);
  server.queued -= 2h;
  CHECK(server.move(R"({"advance":"1h"})").body == kStopped);
}

TEST_CASE("admin: metrics are text, and nobody's who left", "[server]") {
  AdminUnderTest server(1h);
  const std::string get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  const AdminResponse answer = server.answer(get);
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(answer.body.starts_with("# HELP stator_"));
  server.client.is_there = false;
  CHECK(server.answer(get).status == 503);
}

TEST_CASE("admin: an index that is being filled says how far it is, and since when", "[server]") {
  AdminUnderTest server(1h);
  test::require_ok(server.driver, "CreateTable", test::hash_table("orders"));
  // UpdateTable itself makes the first of the entries; the maintainer would make the other.
  const Maintainer::Pause pause(server.maintainer);
  const std::string text(300'000, 'x');
  for (const std::string key : {"a", "b"}) {
    test::require_ok(server.driver, "PutItem",
                     R"({"TableName":"orders","Item":{"pk":{"S":")" + key +
                         R"("},"by":{"S":"x"},"text":{"S":")" + text + R"("}}})");
  }
  test::require_ok(server.driver, "UpdateTable",
                   R"({"TableName":"orders","AttributeDefinitions":[{"AttributeName":"by",)"
                   R"("AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{)"
                   R"("IndexName":"by-by","KeySchema":[{"AttributeName":"by","KeyType":"HASH"}],)"
                   R"("Projection":{"ProjectionType":"ALL"}}}]})");
  const AdminResponse answer = server.answer("GET /_stator/tables HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(answer.status == 200);
  INFO(answer.body);
  CHECK(
      answer.body.find(R"("backfill":{"done":1,"total":2,"started":"2027-01-01T00:00:00.000Z"})") !=
      std::string::npos);
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

TEST_CASE("admin: verbs that change nothing do not wait for those that do", "[server]") {
  for (const AdminVerb& verb : admin_verbs()) {
    INFO(verb.path);
    // Rules for faults have a lock of their own: a test adds one while the clock moves.
    // So has the report of permissions; an agent's requests wait as their own verbs do. The others
    // decide about what the request brings.
    static constexpr std::string_view kChangeNoData[] = {
        "/_stator/faults",           "/_stator/access/reset",    "/_stator/access/simulate",
        "/_stator/triggers/explain", "/_stator/triggers/resume", "/_stator/mcp"};
    const bool changes_data =
        verb.method == Method::Post &&
        std::none_of(std::begin(kChangeNoData), std::end(kChangeNoData),
                     [&](std::string_view path) { return verb.path.starts_with(path); });
    CHECK((verb.place == AdminPlace::Alone) == changes_data);
  }
}

}  // namespace
}  // namespace stator
