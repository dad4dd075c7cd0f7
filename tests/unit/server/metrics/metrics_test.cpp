// server/metrics: the page, from figures that are known.
#include "server/metrics/metrics.h"

#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/cases/source_folder.h"
#include "tests/unit/engine/harness/engine_driver.h"
#include "tests/unit/server/faults/read_rule_from.h"
#include "tests/unit/server/harness/metrics_under_test.h"

namespace stator {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

class Anybody final : public StopCondition {
 public:
  bool should_stop() noexcept override { return !is_there; }
  bool is_there = true;
};

struct PageUnderTest {
  explicit PageUnderTest(Settings chosen = {})
      : settings(std::move(chosen)), driver(settings), with(driver.engine(), settings, system) {}

  std::string page() {
    auto page = with.metrics.page(stop_condition);
    REQUIRE(page);
    return *page;
  }
  bool has(const std::string& line) { return ("\n" + page()).find("\n" + line + "\n") != kNone; }

  static constexpr auto kNone = std::string::npos;
  Settings settings;
  test::EngineDriver driver;
  ManualClock system{Timestamp{1'789'999'999'123'000}};  // a second behind the engine's
  Anybody stop_condition;
  test::MetricsUnderTest with;
};

constexpr std::string_view kTable =
    R"({"TableName":"orders","BillingMode":"PAY_PER_REQUEST",)"
    R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
    R"({"AttributeName":"by","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
    R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},)"
    R"("GlobalSecondaryIndexes":[{"IndexName":"by-by","Projection":{"ProjectionType":"KEYS_ONLY"},)"
    R"("KeySchema":[{"AttributeName":"by","KeyType":"HASH"}]}]})";

TEST_CASE("metrics: what the server counts", "[server]") {
  PageUnderTest under;
  RequestCounters& one = under.with.requests.add_dispatcher();
  RequestCounters& other = under.with.requests.add_dispatcher();
  const std::size_t put = under.with.number_of("PutItem");
  one.count(put, std::nullopt, 40us);
  other.count(put, ErrorCode::Validation, 20us);
  other.count(put, ErrorCode::ConditionalCheckFailed, 3ms);
  other.count(put, ErrorCode::InternalServerError, 20s);
  one.count(under.with.operations.rows().size(), ErrorCode::UnknownOperation, 1us);
  one.count_malformed();
  under.with.connections.open = 3;
  under.with.connections.accepted = 5;
  under.with.connections.refused = 2;
  REQUIRE(under.with.memory.budget().take(4096));
  CHECK(under.has("stator_requests_total{operation=\"PutItem\",code=\"200\"} 1"));
  CHECK(under.has("stator_requests_total{operation=\"PutItem\",code=\"400\"} 2"));
  CHECK(under.has("stator_requests_total{operation=\"PutItem\",code=\"500\"} 1"));
  CHECK(under.has("stator_requests_total{operation=\"unknown\",code=\"400\"} 1"));
  const std::string errors = "stator_request_errors_total{operation=\"PutItem\",type=";
  CHECK(under.has(errors + "\"ConditionalCheckFailedException\"} 1"));
  CHECK(under.has(errors + "\"InternalServerError\"} 1"));
  const std::string latency = "stator_request_duration_seconds";
  CHECK(under.has(latency + "_count{operation=\"PutItem\"} 4"));
  CHECK(under.has(latency + "_bucket{operation=\"PutItem\",le=\"5e-05\"} 2"));
  CHECK(under.has(latency + "_bucket{operation=\"PutItem\",le=\"10\"} 3"));
  CHECK(under.has(latency + "_bucket{operation=\"PutItem\",le=\"+Inf\"} 4"));
  CHECK_FALSE(under.has(latency + "_count{operation=\"GetItem\"} 0"));
  CHECK(under.has("stator_refused_requests_total{reason=\"malformed\"} 1"));
  CHECK(under.has("stator_refused_requests_total{reason=\"memory\"} 0"));
  CHECK(under.has("stator_connections 3"));
  CHECK(under.has("stator_connections_accepted_total 5"));
  CHECK(under.has("stator_connections_refused_total 2"));
  CHECK(under.has("stator_request_memory_bytes 4096"));
  CHECK(under.has("stator_request_memory_limit_bytes 1048576"));
}

TEST_CASE("metrics: what the engine tells", "[server]") {
  PageUnderTest under;
  const auto before = under.driver.engine().commit_counters();
  REQUIRE(under.driver.call("CreateTable", std::string(kTable)).ok);
  for (const std::string_view item : {R"({"pk":{"S":"a"},"by":{"S":"me"}})", R"({"pk":{"S":"b"}})"})
    REQUIRE(
        under.driver.call("PutItem", R"({"TableName":"orders","Item":)" + std::string(item) + "}")
            .ok);
  under.driver.clock().advance(90s);
  const std::string table = R"({region="us-east-1",table="orders"})";
  const std::string index = R"({region="us-east-1",table="orders",index="by-by"})";
  CHECK(under.has("stator_table_items" + table + " 2"));
  CHECK(under.has("stator_table_size_bytes" + table + " 10"));
  CHECK(under.has("stator_index_items" + index + " 1"));
  CHECK(under.has("stator_streams 1"));
  CHECK(under.has("stator_stream_oldest_record_age_seconds" + table + " 90"));
  CHECK(under.has("stator_stream_records_limit_bytes 1073741824"));
  CHECK(under.has("stator_clock_offset_seconds 91"));
  CHECK(under.has("stator_commit_jobs_total " + std::to_string(before.jobs + 3)));
  CHECK(under.has("stator_commit_batches_total " + std::to_string(before.batches + 3)));
  CHECK(under.has("stator_commit_failed_batches_total 0"));
  CHECK_THAT(under.page(), !Contains("stator_ttl_lag_seconds"));
  CHECK_THAT(under.page(), Contains("\nprocess_resident_memory_bytes "));
}

TEST_CASE("metrics: tables of the same name are told apart", "[server]") {
  Settings settings;
  settings.isolation = Isolation::Key;
  PageUnderTest under(settings);
  for (const std::string_view key : {"alice", "bob/east"}) {
    REQUIRE(under.driver.call("CreateTable", std::string(kTable), "us-east-1", key).ok);
    CHECK(under.has("stator_table_items{region=\"us-east-1\",access_key=\"" + std::string(key) +
                    "\",table=\"orders\"} 0"));
  }
}

Settings with_one_write_a_second() {
  capacity::CapacityParameters parameters;
  parameters.partition_limits.write_units = 1;
  Settings settings;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>(parameters);
  return settings;
}

TEST_CASE("metrics: units consumed, and what was beyond the throughput", "[server]") {
  PageUnderTest under(with_one_write_a_second());
  REQUIRE(under.driver.call("CreateTable", std::string(kTable)).ok);
  const std::string put = R"({"TableName":"orders","Item":{"pk":{"S":"a"}}})";
  for (int i = 0; i < 3; ++i) REQUIRE(under.driver.call("PutItem", put).ok);
  const std::string table = R"(region="us-east-1",table="orders")";
  CHECK(under.has("stator_consumed_capacity_units_total{" + table + R"(,dimension="write"} 1)"));
  CHECK(under.has("stator_throttled_requests_total{" + table +
                  R"(,reason="TableWriteKeyRangeThroughputExceeded"} 2)"));
  CHECK(under.has("stator_throttled_capacity_units_total{" + table + R"(,dimension="write"} 2)"));
  CHECK(under.has("stator_throttled_capacity_units_total{" + table + R"(,dimension="read"} 0)"));
}

// Stated in docs/metrics.md, as `name`.
std::set<std::string> described_metrics() {
  std::ifstream file(test::source_path("docs/metrics.md"));
  std::set<std::string> names;
  const std::regex row(R"(^\| `((stator|process)_[a-z_]+)[`{])");
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, match, row)) CHECK(names.insert(match[1]).second);
  }
  return names;
}

TEST_CASE("metrics: each is described, and no other", "[server]") {
  PageUnderTest under(with_one_write_a_second());
  RequestCounters& counters = under.with.requests.add_dispatcher();
  counters.count(0, ErrorCode::Validation, 1us, /*is_throttled=*/true);
  REQUIRE(under.driver.call("CreateTable", std::string(kTable)).ok);
  REQUIRE(
      under.driver
          .call(
              "CreateTable",
              R"({"TableName":"capped","AttributeDefinitions":[{"AttributeName":"pk",)"
              R"("AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
              R"("BillingMode":"PAY_PER_REQUEST","OnDemandThroughput":{"MaxReadRequestUnits":9}})")
          .ok);
  for (int i = 0; i < 2; ++i)
    REQUIRE(under.driver.call("PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"a"}}})").ok);
  REQUIRE(under.driver
              .call("UpdateTimeToLive",
                    R"({"TableName":"orders","TimeToLiveSpecification":{"Enabled":true,)"
                    R"("AttributeName":"ttl"}})")
              .ok);
  REQUIRE(
      under.driver
          .call("CreateTable",
                R"({"TableName":"steps","AttributeDefinitions":[{"AttributeName":"pk",)"
                R"("AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
                R"("ProvisionedThroughput":{"ReadCapacityUnits":9,"WriteCapacityUnits":1}})")
          .ok);
  // The last one comes too soon.
  for (const char reads : {'8', '7', '6', '5', '4'}) {
    under.driver.call("UpdateTable",
                      R"({"TableName":"steps","ProvisionedThroughput":{"WriteCapacityUnits":1,)"
                      R"("ReadCapacityUnits":)" +
                          std::string(1, reads) + "}}");
  }
  REQUIRE(under.with.faults.add({test::rule_from("{'effect':{'drop':'before'}}")}, Timestamp{0}));
  under.with.faults.all().front()->record("PutItem", 1, Timestamp{0});
  triggers::MappingFigures figures{"a-uuid", "arn:aws:lambda:us-east-1:000000000000:function:f"};
  figures.counts.calls["ok"] = 1;
  under.with.mappings.push_back(figures);
  std::set<std::string> shown;
  const std::string page = under.page();
  const std::regex type(R"(# TYPE ([a-z_]+) )");
  for (std::sregex_iterator found(page.begin(), page.end(), type), end; found != end; ++found)
    CHECK(shown.insert((*found)[1]).second);
  CHECK(shown == described_metrics());
}

TEST_CASE("metrics: nothing is collected for who has left", "[server]") {
  PageUnderTest under;
  under.stop_condition.is_there = false;
  CHECK_FALSE(under.with.metrics.page(under.stop_condition));
}

}  // namespace
}  // namespace stator
