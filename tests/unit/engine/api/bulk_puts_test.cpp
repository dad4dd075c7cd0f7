// What a bulk put puts, counts and reports, and how it ends.
#include "engine/api/bulk_puts.h"

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using Outcome = BulkPut::Outcome;

constexpr std::int64_t kNoUnitsMax = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kUnused = R"~(,"ConditionExpression":"attribute_not_exists(pk)")~";

std::string begin(EngineHarness& engine,
                  std::string_view types = R"("ERROR","CONDITION_CHECK_FAILURE")") {
  const Answer answer = engine.call(
      "StartBulkPutItems",
      R"({"TableName":"Things","InputS3Configuration":{"S3Bucket":"source","InputFormat":"DYNAMODB_JSON"},
          "OutputS3Configuration":{"S3Bucket":"reports","OutputType":[)" +
          std::string(types) + "]}}");
  REQUIRE(answer.ok);
  const std::string arn = answer.member("BulkOperationArn");
  return arn.substr(1, arn.size() - 2);
}

void start(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk)")).ok);
  begin(engine);
}

std::optional<BulkJob> job_of(EngineHarness& engine) {
  std::vector<BulkJob> jobs;
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(jobs, bulk_puts_in_progress(snapshot));
    return {};
  }));
  REQUIRE(jobs.size() <= 1);
  return jobs.empty() ? std::nullopt : std::optional(jobs.front());
}

std::string item(std::string_view key, std::string_view more = {}) {
  return R"({"Item":{"pk":{"S":")" + std::string(key) + "\"}}" + std::string(more) + "}";
}

// Records of the object "o" from the first that is not done.
std::vector<BulkRecord> records_of(const BulkJob& job, const std::vector<std::string>& texts) {
  std::vector<BulkRecord> records;
  for (std::size_t i = job.progress.object_records; i < texts.size(); ++i)
    records.push_back({texts[i], "", "o", i, static_cast<std::int64_t>(i + 1)});
  return records;
}

BulkPut put(EngineHarness& engine, const std::vector<std::string>& texts,
            std::int64_t units_milli_max = kNoUnitsMax) {
  const BulkJob job = *job_of(engine);
  const auto records = records_of(job, texts);
  return put_bulk_records(engine.engine(), job, records, 100, units_milli_max);
}

std::vector<std::string> report_of(EngineHarness& engine) {
  std::vector<std::string> lines;
  const BulkJob job = *job_of(engine);
  Engine::Reader reader(engine.engine());
  std::uint64_t next = 0;
  for (bool has_more = true; has_more;) {
    storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(const auto some, next_report_lines(snapshot, job, /*bytes_max=*/1, next));
      has_more = !some.empty();
      for (const BulkReportLine& line : some)
        lines.push_back(std::string(to_text(line.type)) + " " + line.text);
      return {};
    }));
  }
  return lines;
}

std::string count_of(EngineHarness& engine) {
  return engine.call("Scan", R"({"TableName":"Things","Select":"COUNT"})").member("Count");
}

}  // namespace

TEST_CASE("bulk puts: a record sees those before it in its piece", "[engine]") {
  EngineHarness engine;
  start(engine);
  const BulkPut done = put(engine, {item("a", kUnused), item("a", kUnused), item("b")});
  CHECK(done.outcome == Outcome::Put);
  CHECK(done.record_count == 3);
  CHECK(done.units_milli == 3000);
  const BulkProgress progress = job_of(engine)->progress;
  CHECK(progress.object_key == "o");
  CHECK(progress.object_records == 3);
  CHECK(progress.item_count == 3);
  CHECK(progress.error_count == 0);
  CHECK(progress.condition_failure_count == 1);
  CHECK(progress.input_bytes == 3);
  CHECK(progress.total_input_bytes == 100);
  CHECK(progress.table_bytes == 6);
  CHECK(count_of(engine) == "2");
  CHECK(
      report_of(engine) ==
      std::vector<std::string>{
          R"(CONDITION_CHECK_FAILURE {"itemS3Pointer":{"bucket":"source","key":"o","itemIndex":1},)"
          R"("errorMessages":["The conditional request failed"],"Item":{"pk":{"S":"a"}},)"
          R"("ExistingItem":{"pk":{"S":"a"}}})"});
}

TEST_CASE("bulk puts: what cannot be put is a line of the report", "[engine]") {
  EngineHarness engine;
  start(engine);
  const BulkJob job = *job_of(engine);
  std::vector<BulkRecord> records =
      records_of(job, {item("a"), "[]", R"({"TableName":"Others"})", R"({"Item":{"pk":{"N":"1"}}})",
                       R"({"Item":{"pk":{"S":"b"}},"TableName":"Others"})", ""});
  records.back().problem = "it cannot be unpacked";
  CHECK(put_bulk_records(engine.engine(), job, records, 100, kNoUnitsMax).record_count == 6);
  CHECK(job_of(engine)->progress.error_count == 5);
  const auto lines = report_of(engine);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] ==
        R"(ERROR {"itemS3Pointer":{"bucket":"source","key":"o","itemIndex":1},"errorMessages":)"
        R"(["The record is not a JSON object"]})");
  CHECK(lines[1].find("The record has no Item") != std::string::npos);
  CHECK(lines[2].find("Type mismatch for key pk expected: S actual: N") != std::string::npos);
  CHECK(lines[3].find("The record has an unknown member: TableName") != std::string::npos);
  CHECK(lines[4].find("it cannot be unpacked") != std::string::npos);
  CHECK(count_of(engine) == "1");
}

TEST_CASE("bulk puts: only lines that were asked for are stored", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk)")).ok);
  begin(engine, R"("CONDITION_CHECK_FAILURE")");
  put(engine, {"x", item("a"), item("a", kUnused)});
  CHECK(job_of(engine)->progress.error_count == 1);
  CHECK(report_of(engine).size() == 1);
}

TEST_CASE("bulk puts: a piece ends with the record that reaches its units", "[engine]") {
  EngineHarness engine;
  start(engine);
  const std::vector<std::string> texts = {item("a"), item("b"), item("c")};
  CHECK(put(engine, texts, 2000).record_count == 2);
  CHECK(count_of(engine) == "2");
  CHECK(put(engine, texts, 2000).record_count == 1);
  CHECK(job_of(engine)->progress.item_count == 3);
}

TEST_CASE("bulk puts: nothing is put on another progress, after a cancel or without a table",
          "[engine]") {
  EngineHarness engine;
  start(engine);
  const BulkJob before = *job_of(engine);
  put(engine, {item("a")});
  const auto records = records_of(before, {item("b")});
  const auto put_again = [&](const BulkJob& job) {
    return put_bulk_records(engine.engine(), job, records, 100, kNoUnitsMax);
  };
  const BulkPut stale = put_again(before);
  CHECK(stale.outcome == Outcome::Put);
  CHECK(stale.record_count == 0);
  CHECK(count_of(engine) == "1");

  SECTION("a cancel") {
    REQUIRE(
        engine
            .call("CancelBulkOperation", R"({"BulkOperationArn":")" + job_of(engine)->arn() + "\"}")
            .ok);
    CHECK(put_again(*job_of(engine)).outcome == Outcome::Cancelled);
    CHECK(count_of(engine) == "1");
  }
  SECTION("a table that is deleted") {
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    CHECK(put_again(*job_of(engine)).outcome == Outcome::TableGone);
  }
  SECTION("another table of its name") {
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    REQUIRE(engine.call("CreateTable", create_table_request("Things (pk)")).ok);
    CHECK(put_again(*job_of(engine)).outcome == Outcome::TableGone);
    CHECK(count_of(engine) == "0");
  }
  SECTION("a reset") {
    const BulkJob job = *job_of(engine);
    class NeverStops final : public StopCondition {
     public:
      bool should_stop() noexcept override { return false; }
    } never;
    reset_tables(
        engine.engine(), [](std::string_view) { return true; }, never);
    CHECK_FALSE(job_of(engine));
    CHECK(put_again(job).outcome == Outcome::Removed);
    CHECK(end_bulk_put(engine.engine(), job, {}));
    CHECK(engine.call("ListBulkOperations", "{}").json == R"({"BulkOperationsSummaryList":[]})");
  }
}

TEST_CASE("bulk puts: how they end", "[engine]") {
  EngineHarness engine;
  start(engine);
  const BulkJob job = *job_of(engine);
  const auto described = [&] {
    return engine.call("DescribeBulkOperation", R"({"BulkOperationArn":")" + job.arn() + "\"}");
  };
  SECTION("complete, though a condition failed") {
    put(engine, {item("a"), item("a", kUnused)});
    REQUIRE(end_bulk_put(engine.engine(), job, {.input_bytes = 100, .total_input_bytes = 100}));
    CHECK(described().member("BulkOperationStatus") == R"("COMPLETED")");
    CHECK(described().member("ProcessedInputBytes") == "100");
    CHECK(described().member("ProcessedItemCount") == "2");
    CHECK(described().member("FailedItemCount") == "0");
  }
  SECTION("with errors") {
    put(engine, {"x"});
    REQUIRE(end_bulk_put(engine.engine(), job, {}));
    CHECK(described().member("BulkOperationStatus") == R"("COMPLETED_WITH_ERRORS")");
  }
  SECTION("cancelled") {
    REQUIRE(engine.call("CancelBulkOperation", R"({"BulkOperationArn":")" + job.arn() + "\"}").ok);
    REQUIRE(end_bulk_put(engine.engine(), job, {}));
    CHECK(described().member("BulkOperationStatus") == R"("CANCELLED")");
    CHECK_FALSE(
        engine.call("CancelBulkOperation", R"({"BulkOperationArn":")" + job.arn() + "\"}").ok);
  }
  SECTION("failed") {
    REQUIRE(end_bulk_put(engine.engine(), job, {.failure_code = "Code", .failure_message = "Why"}));
    CHECK(described().member("BulkOperationStatus") == R"("FAILED")");
    CHECK(described().member("FailureCode") == R"("Code")");
    CHECK(described().member("FailureMessage") == R"("Why")");
  }
  CHECK_FALSE(job_of(engine));
  // A second end changes nothing.
  const std::string before = described().json;
  CHECK(end_bulk_put(engine.engine(), job, {.failure_code = "Other"}));
  CHECK(described().json == before);
  // The lines of the report are swept.
  while (engine.maintain({.records_max = 100}).is_due) {
  }
  std::uint64_t next = 0;
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(const auto lines, next_report_lines(snapshot, job, 1, next));
    CHECK(lines.empty());
    return {};
  }));
  // Descriptions go after 90 days, with the next start.
  engine.clock().advance(std::chrono::hours(24 * 90));
  CHECK_FALSE(described().ok);
}

TEST_CASE("bulk puts: entries of indexes are counted", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk), global by_g (g) KEYS_ONLY"))
              .ok);
  begin(engine);
  put(engine, {R"({"Item":{"pk":{"S":"a"},"g":{"S":"g"},"x":{"S":"1234"}}})", item("b")});
  const BulkProgress progress = job_of(engine)->progress;
  CHECK(progress.table_bytes == 13);
  REQUIRE(progress.indexes.size() == 1);
  CHECK(progress.indexes[0].name == "by_g");
  CHECK_FALSE(progress.indexes[0].is_local);
  CHECK(progress.indexes[0].size_bytes == 5);
}

}  // namespace stator::test
