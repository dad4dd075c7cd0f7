// Imports: interrupted, with a store that fails, and with a reset or a mark in between.
#include "server/jobs/import_runner.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "engine/api/ready_imports.h"
#include "engine/catalog/catalog.h"
#include "engine/state/mutation.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using data::StoreFailure;
using data::StoreResult;

// Objects in memory, as a store of which some are lost.
class MemoryStore final : public data::ObjectStore {
 public:
  std::map<std::string, std::string, std::less<>> objects;  // by bucket/key
  std::string lost;                                         // a key that is listed, but gone

  StoreResult check_bucket(std::string_view bucket) override {
    if (bucket == "bucket") return {};
    return tl::unexpected(StoreFailure{"S3NoSuchBucket", "no bucket"});
  }
  tl::expected<std::unique_ptr<data::ObjectWriter>, StoreFailure> create(
      std::string_view bucket, std::string_view key) override {
    return std::make_unique<Writer>(objects, std::string(bucket).append("/").append(key));
  }
  tl::expected<std::unique_ptr<data::ObjectReader>, StoreFailure> open(
      std::string_view bucket, std::string_view key) override {
    if (key == lost) return tl::unexpected(StoreFailure{"S3NoSuchKey", "it is gone"});
    return std::make_unique<Reader>(objects[std::string(bucket).append("/").append(key)]);
  }
  StoreResult list(std::string_view bucket, std::string_view prefix,
                   const VisitKey& visit) override {
    const std::string head = std::string(bucket) + "/";
    for (const auto& [name, text] : objects) {
      if (!name.starts_with(head + std::string(prefix))) continue;
      if (!visit(std::string_view(name).substr(head.size()))) break;
    }
    return {};
  }
  std::string_view logs_bucket() const override { return "_logs"; }
  std::string where(std::string_view bucket) const override { return std::string(bucket); }

  std::size_t log_lines() const {
    std::size_t lines = 0;
    for (const auto& [name, text] : objects) {
      if (name.starts_with(logs_bucket()))
        lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return lines;
  }

 private:
  class Writer final : public data::ObjectWriter {
   public:
    Writer(std::map<std::string, std::string, std::less<>>& objects, std::string name)
        : objects_(objects), name_(std::move(name)) {}
    StoreResult append(std::string_view bytes) override {
      return text_.append(bytes), StoreResult();
    }
    StoreResult finish() override { return objects_[name_] = text_, StoreResult(); }

   private:
    std::map<std::string, std::string, std::less<>>& objects_;
    std::string name_;
    std::string text_;
  };
  class Reader final : public data::ObjectReader {
   public:
    explicit Reader(std::string text) : text_(std::move(text)) {}
    tl::expected<std::string_view, StoreFailure> next() override {
      return std::exchange(is_read_, true) ? std::string_view() : std::string_view(text_);
    }

   private:
    std::string text_;
    bool is_read_ = false;
  };
};

std::string lines(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i)
    text += R"({"Item":{"pk":{"S":")" + std::to_string(i) + "\"}}}\n";
  return text;
}

void begin(EngineHarness& engine) {
  REQUIRE(engine
              .call("ImportTable",
                    R"({"S3BucketSource":{"S3Bucket":"bucket"},"InputFormat":"DYNAMODB_JSON",)"
                    R"("TableCreationParameters":)" +
                        hash_table("Things") + "}")
              .ok);
}

std::optional<ImportJob> job_of(EngineHarness& engine) {
  std::optional<ImportJob> job;
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(job, next_import_in_progress(snapshot, {}));
    return {};
  }));
  return job;
}

// Runs the import until it is asked `count` times whether it must stop.
ImportOutcome run(EngineHarness& engine, MemoryStore& store, int count) {
  return run_import(engine.engine(), *job_of(engine), store, [&] { return count-- == 0; });
}
constexpr int kToTheEnd = -1;

std::string last_import(EngineHarness& engine) {
  const std::string list = engine.call("ListImports", "{}").json;
  const std::size_t at = list.find("arn:");
  return engine
      .call("DescribeImport",
            R"({"ImportArn":")" + list.substr(at, list.find('"', at) - at) + "\"}")
      .json;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("import: it goes on wherever it was interrupted, and counts exactly", "[jobs]") {
  const bool has_errors = GENERATE(false, true);
  const int step = GENERATE(1, 120, 260, 620);
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 300) + (has_errors ? "bad\n" : "");
  store.objects["bucket/b"] = (has_errors ? "worse\n" : "") + lines(301, 600);
  store.objects["bucket/c"] = lines(600, 600);
  EngineHarness engine;
  begin(engine);
  int stop_after = 0;
  while (run(engine, store, stop_after) == ImportOutcome::Interrupted) {
    CHECK(has(engine.call("DescribeTable", named("Things")).json, "CREATING"));
    stop_after += step;
  }
  const std::string end = last_import(engine);
  INFO(end);
  CHECK(has(end, has_errors ? "\"FAILED\"" : "\"COMPLETED\""));
  CHECK(has(end, "\"ImportedItemCount\":601"));
  CHECK(has(end, has_errors ? "\"ProcessedItemCount\":603" : "\"ProcessedItemCount\":601"));
  CHECK(has(end, has_errors ? "\"ErrorCount\":2" : "\"ErrorCount\":0"));
  CHECK(store.log_lines() == (has_errors ? 2 : 0));
  const std::string table = engine.call("DescribeTable", named("Things")).json;
  CHECK(has(table, "ACTIVE"));
  CHECK(has(table, "\"ItemCount\":600"));
}

TEST_CASE("import: an object that is lost takes the half table along", "[jobs]") {
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 600);
  store.objects["bucket/b"] = lines(601, 700);
  store.lost = "b";
  EngineHarness engine;
  begin(engine);
  CHECK(run(engine, store, kToTheEnd) == ImportOutcome::Ended);
  CHECK(has(last_import(engine), "\"FailureCode\":\"S3NoSuchKey\""));
  CHECK_FALSE(engine.call("DescribeTable", named("Things")).ok);
  CHECK_FALSE(job_of(engine));
}

TEST_CASE("import: its description stays for 90 days from its end", "[jobs]") {
  EngineHarness engine;
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 2);
  begin(engine);
  engine.clock().advance(std::chrono::hours(1));
  run(engine, store, kToTheEnd);
  const std::string described = last_import(engine);
  REQUIRE(has(described, R"("ImportStatus":"COMPLETED")"));
  const std::size_t at = described.find("arn:");
  const std::string arn = described.substr(at, described.find('"', at) - at);
  const auto describe = [&] {
    return engine.call("DescribeImport", R"({"ImportArn":")" + arn + "\"}").json;
  };
  engine.clock().advance(std::chrono::hours(24 * 90) - std::chrono::microseconds(1));
  CHECK(describe() == described);
  CHECK(has(engine.call("ListImports", "{}").json, arn));
  engine.clock().advance(std::chrono::microseconds(1));
  CHECK(has(describe(), "Import not found: " + arn));
  CHECK(engine.call("ListImports", "{}").json == R"({"ImportSummaryList":[]})");
  CHECK(engine.call("Scan", named("Things", R"(,"Select":"COUNT")")).member("Count") == "2");
}

TEST_CASE("import: of two imports of one table the second fails", "[jobs]") {
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 2);
  EngineHarness engine;
  begin(engine);
  engine.clock().advance(std::chrono::milliseconds(10));
  begin(engine);
  CHECK(run(engine, store, kToTheEnd) == ImportOutcome::Ended);
  CHECK(run(engine, store, kToTheEnd) == ImportOutcome::Ended);
  const std::string second = last_import(engine);
  CHECK(has(second, "\"FailureCode\":\"TableAlreadyExists\""));
  CHECK(has(second, "\"FailureMessage\":\"Table already exists: Things\""));
  CHECK(has(engine.call("DescribeTable", named("Things")).json, "\"ItemCount\":2"));
}

TEST_CASE("import: a rollback takes it back, and it goes on from there", "[jobs]") {
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 600);
  EngineHarness engine;
  begin(engine);
  REQUIRE(run(engine, store, 300) == ImportOutcome::Interrupted);
  const ImportJob before = *job_of(engine);
  REQUIRE(engine.engine().set_mark("m") == MarkOutcome::Done);
  REQUIRE(run(engine, store, 560) == ImportOutcome::Interrupted);
  REQUIRE(job_of(engine)->progress != before.progress);
  const ImportJob late = *job_of(engine);
  REQUIRE(engine.engine().roll_back("m") == MarkOutcome::Done);
  CHECK(job_of(engine)->progress == before.progress);
  // A thread that still has the later progress stores nothing.
  CHECK(store_import_items(engine.engine(), late, {}, late.progress) == ImportCommit::Elsewhere);
  CHECK(run(engine, store, kToTheEnd) == ImportOutcome::Ended);
  CHECK(has(engine.call("DescribeTable", named("Things")).json, "\"ItemCount\":600"));
  CHECK(has(last_import(engine), "\"ImportedItemCount\":600"));
}

TEST_CASE("import: if the table is gone, it fails and makes no other", "[jobs]") {
  const int stored = GENERATE(0, 300);
  MemoryStore store;
  store.objects["bucket/a"] = lines(1, 600);
  EngineHarness engine;
  begin(engine);
  REQUIRE(run(engine, store, stored) == ImportOutcome::Interrupted);
  REQUIRE(engine.engine().change([&](const Catalog& catalog, Timestamp now, Mutation& mutation) {
    mutation.erase_table(*catalog.find("us-east-1", "Things", now));
  }));
  CHECK(run(engine, store, kToTheEnd) == ImportOutcome::Ended);
  CHECK(has(last_import(engine), "The table was removed during the import"));
  CHECK_FALSE(engine.call("DescribeTable", named("Things")).ok);
}

}  // namespace stator::test
