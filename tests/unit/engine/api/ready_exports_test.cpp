// What exports have: items as of a moment, or the items that changed in a window.
#include "engine/api/ready_exports.h"

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/catalog/catalog.h"
#include "engine/state/mutation.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;

const std::string kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Things";

void enable_recovery(EngineHarness& engine) {
  REQUIRE(engine.engine().change([](const Catalog& catalog, Timestamp now, Mutation& mutation) {
    Table table = *catalog.find("us-east-1", "Things", now);
    table.recovery = PointInTimeRecovery{now, 35, now, {}};
    mutation.put_table(std::move(table));
  }));
}

void start(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk, sk:N)")).ok);
  enable_recovery(engine);
}

void put(EngineHarness& engine, int number, int value) {
  REQUIRE(engine
              .call("PutItem", R"({"TableName":"Things","Item":{"pk":{"S":"a"},"sk":{"N":")" +
                                   std::to_string(number) + R"("},"v":{"N":")" +
                                   std::to_string(value) + R"("}}})")
              .ok);
}

void remove(EngineHarness& engine, int number) {
  REQUIRE(engine
              .call("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":"a"},"sk":{"N":")" +
                                      std::to_string(number) + R"("}}})")
              .ok);
}

Answer begin_export(EngineHarness& engine, const std::string& members = {}) {
  return engine.call("ExportTableToPointInTime",
                     R"({"TableArn":")" + kArn + R"(","S3Bucket":"bucket")" + members + "}");
}

std::string seconds(Timestamp time) {
  return std::to_string(time.unix_s()) + "." +
         std::to_string(1000 + time.unix_ms() % 1000).substr(1);
}

void gather(EngineHarness& engine) {
  while (engine.maintain({.records_max = 2}).is_due) {
  }
}

std::optional<ExportJob> ready_job(EngineHarness& engine) {
  std::optional<ExportJob> job;
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(job, ReadyExports(snapshot).next_ready({}));
    return {};
  }));
  return job;
}

// "1=10" for an item, "1: 10 -> 11" for a changed one; `-` is no item, `?` no attribute.
std::vector<std::string> lines_of(EngineHarness& engine, const ExportJob& job) {
  const auto number = [](Item item, std::string_view name) {
    const Value* const value = find_attribute(item, name);
    std::string text = value == nullptr ? "?" : "";
    if (value != nullptr) append_number_text(text, value->bytes());
    return text;
  };
  const auto image = [&](const std::optional<Item>& item) {
    return item ? number(*item, "v") : std::string("-");
  };
  std::vector<std::string> lines;
  ReadyExports::Position position;
  Engine::Reader reader(engine.engine());
  while (!position.is_at_end) {
    Arena arena;
    storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(const auto entries,
                 ReadyExports(snapshot).next_items(job, /*bytes_max=*/1, position, arena));
      for (const auto& entry : entries) {
        const std::string key = number(entry.item, "sk");
        lines.push_back(job.request.window
                            ? key + ": " + image(entry.before) + " -> " + image(entry.after)
                            : key + "=" + number(entry.item, "v"));
      }
      return {};
    }));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("ready exports: the items are those of the export's moment", "[engine]") {
  EngineHarness engine;
  start(engine);
  for (int i = 1; i <= 5; ++i) put(engine, i, i);
  engine.clock().advance(1h);
  const Timestamp moment = engine.clock().now();
  engine.clock().advance(72h);
  put(engine, 1, 100);
  remove(engine, 2);
  put(engine, 6, 6);

  SECTION("of the past") {
    REQUIRE(begin_export(engine, R"(,"ExportTime":)" + seconds(moment)).ok);
    gather(engine);
    CHECK(lines_of(engine, *ready_job(engine)) == Lines{"1=1", "2=2", "3=3", "4=4", "5=5"});
  }
  SECTION("of now, with writes while they are gathered") {
    REQUIRE(begin_export(engine).ok);
    engine.maintain({.records_max = 1});
    put(engine, 3, 300);
    remove(engine, 1);
    put(engine, 7, 7);
    gather(engine);
    CHECK(lines_of(engine, *ready_job(engine)) == Lines{"1=100", "3=3", "4=4", "5=5", "6=6"});
  }
  SECTION("when the table is deleted behind the request, and the process ends") {
    REQUIRE(begin_export(engine, R"(,"ExportTime":)" + seconds(moment)).ok);
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    gather(engine);
    CHECK(lines_of(engine, *ready_job(engine)) == Lines{"1=1", "2=2", "3=3", "4=4", "5=5"});
  }
}

TEST_CASE("ready exports: an export that has ended is told so, and its items go", "[engine]") {
  EngineHarness engine;
  start(engine);
  put(engine, 1, 1);
  const std::string arn = begin_export(engine).member("ExportArn");
  gather(engine);
  const auto job = ready_job(engine);
  REQUIRE(job);
  const auto described = [&] {
    return engine.call("DescribeExport", R"({"ExportArn":)" + arn + "}")
        .member("ExportDescription");
  };
  engine.clock().advance(1s);

  SECTION("complete") {
    REQUIRE(end_export(engine.engine(), *job, {.item_count = 1, .size_bytes = 12}));
    const Answer description{true, described(), 0};
    CHECK(description.member("ExportStatus") == R"("COMPLETED")");
    CHECK(description.member("EndTime") == "1790000001.123");
    CHECK(description.member("ItemCount") == "1");
    CHECK(description.member("BilledSizeBytes") == "12");
    CHECK(description.member("ExportManifest") ==
          "\"AWSDynamoDB/" + job->id + "/manifest-summary.json\"");
    CHECK(description.member("FailureCode").empty());
  }
  SECTION("failed") {
    REQUIRE(end_export(engine.engine(), *job,
                       {.failure_code = "S3NoSuchBucket", .failure_message = "no"}));
    const Answer description{true, described(), 0};
    CHECK(description.member("ExportStatus") == R"("FAILED")");
    CHECK(description.member("FailureCode") == R"("S3NoSuchBucket")");
    CHECK(description.member("FailureMessage") == R"("no")");
    CHECK(description.member("ExportManifest").empty());
  }
  CHECK_FALSE(ready_job(engine));
  gather(engine);
  CHECK(lines_of(engine, *job).empty());
  // Its description stays for 90 days.
  engine.clock().advance(24h * 90 - 1us);
  CHECK_FALSE(described().empty());
  CHECK(engine.call("ListExports", "{}").json.find(job->id) != std::string::npos);
  engine.clock().advance(1us);
  CHECK(described().empty());
  CHECK(engine.call("ListExports", "{}").json == R"({"ExportSummaries":[]})");
}

TEST_CASE("ready exports: an incremental export has what changed in its window", "[engine]") {
  EngineHarness engine;
  start(engine);
  for (int i = 1; i <= 4; ++i) put(engine, i, i);
  put(engine, 8, 8);
  engine.clock().advance(1h - 1us);
  put(engine, 7, 7);  // a microsecond too early
  engine.clock().advance(1us);
  const Timestamp from = engine.clock().now();
  put(engine, 1, 10);  // the first moment belongs to it
  put(engine, 5, 5);
  engine.clock().advance(10min);
  put(engine, 1, 11);
  remove(engine, 2);
  put(engine, 6, 6);
  put(engine, 8, 80);
  remove(engine, 6);
  remove(engine, 3);
  put(engine, 3, 33);
  engine.clock().advance(10min - 1us);
  put(engine, 9, 9);  // the microsecond before the end belongs to it, too
  engine.clock().advance(1us);
  const Timestamp to = engine.clock().now();
  put(engine, 4, 40);  // the last one does not
  put(engine, 1, 12);
  remove(engine, 5);
  engine.clock().advance(1h);

  REQUIRE(
      begin_export(engine, R"(,"ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":)"
                           R"({"ExportFromTime":)" +
                               seconds(from) + R"(,"ExportToTime":)" + seconds(to) + "}")
          .ok);
  gather(engine);
  const auto job = ready_job(engine);
  REQUIRE(job);
  CHECK(lines_of(engine, *job) == Lines{"1: 1 -> 11", "2: 2 -> -", "3: 3 -> 33", "5: - -> 5",
                                        "6: - -> -", "8: 8 -> 80", "9: - -> 9"});
}

TEST_CASE("ready exports: a filter says which items there are, and which parts", "[engine]") {
  struct Case {
    std::string filter;
    Lines lines;
  };
  const std::string two = R"("ExpressionAttributeValues":{":v":{"N":"2"}})";
  const auto one = GENERATE_COPY(values<Case>({
      {R"("FilterExpression":"v > :v",)" + two, {"3=3", "4=4", "5=5"}},
      {R"("FilterExpression":"sk > :v AND v < :w","ExpressionAttributeValues":)"
       R"({":v":{"N":"2"},":w":{"N":"5"}})",
       {"3=3", "4=4"}},
      {R"x("FilterExpression":"attribute_exists(w)")x", {}},
      {R"("ProjectionExpression":"sk")", {"1=?", "2=?", "3=?", "4=?", "5=?"}},
      {R"("ProjectionExpression":"#v","ExpressionAttributeNames":{"#v":"v"})",
       {"?=1", "?=2", "?=3", "?=4", "?=5"}},
      {R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"b"}})", {}},
      {R"("KeyConditionExpression":"pk = :p AND sk BETWEEN :v AND :w","FilterExpression":"v <> :x",)"
       R"("ProjectionExpression":"v, sk","ExpressionAttributeValues":{":p":{"S":"a"},)"
       R"(":v":{"N":"2"},":w":{"N":"4"},":x":{"N":"3"}})",
       {"2=2", "4=4"}},
  }));
  EngineHarness engine;
  start(engine);
  for (int i = 1; i <= 5; ++i) put(engine, i, i);
  INFO(one.filter);
  REQUIRE(begin_export(engine, R"(,"FilterSpecification":{)" + one.filter + "}").ok);
  gather(engine);
  CHECK(lines_of(engine, *ready_job(engine)) == one.lines);
}

TEST_CASE("ready exports: a changed item is there if it met the filter before or after",
          "[engine]") {
  EngineHarness engine;
  start(engine);
  for (int i = 1; i <= 5; ++i) put(engine, i, i);
  engine.clock().advance(1h);
  const Timestamp from = engine.clock().now();
  put(engine, 1, 10);  // comes
  put(engine, 2, 3);   // never there
  put(engine, 3, 0);   // never there
  put(engine, 4, 0);   // goes
  remove(engine, 5);   // goes with the item
  put(engine, 6, 60);
  put(engine, 7, 1);
  engine.clock().advance(1h);
  const std::string incremental =
      R"(,"ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportFromTime":)" +
      seconds(from) + "}";
  const std::string values = R"("ExpressionAttributeValues":{":v":{"N":"3"}})";

  SECTION("a condition") {
    REQUIRE(begin_export(engine, incremental +
                                     R"(,"FilterSpecification":{"FilterExpression":"v > :v",)" +
                                     values + "}")
                .ok);
    gather(engine);
    CHECK(lines_of(engine, *ready_job(engine)) ==
          Lines{"1: 1 -> 10", "4: 4 -> 0", "5: 5 -> -", "6: - -> 60"});
  }
  SECTION("keys, and images without the projected attribute") {
    REQUIRE(
        begin_export(engine, incremental +
                                 R"(,"FilterSpecification":{"ProjectionExpression":"w",)"
                                 R"("KeyConditionExpression":"pk = :p AND sk > :v",)"
                                 R"("ExpressionAttributeValues":{":p":{"S":"a"},":v":{"N":"4"}}})")
            .ok);
    gather(engine);
    CHECK(lines_of(engine, *ready_job(engine)) == Lines{"5: ? -> -", "6: - -> ?", "7: - -> ?"});
  }
}

}  // namespace stator::test
