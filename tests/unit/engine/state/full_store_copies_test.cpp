// Copies of items in a store without room: they wait for it, and until then no request sees a part.
#include <algorithm>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// "Things" with a backup and point-in-time recovery, beside "Others", which can fill the store.
class StoreWithBackup {
 public:
  StoreWithBackup(EngineHarness& engine, int items) : engine_(engine) {
    for (const char* table : {"Things", "Others"})
      REQUIRE(engine.call("CreateTable", hash_table(table)).ok);
    for (int i = 0; i < items; ++i) REQUIRE(write("PutItem", "Things", "Item", i, 3000));
    const std::string made =
        engine.call("CreateBackup", named("Things", R"(,"BackupName":"one")")).json;
    const std::size_t begin = made.find("arn:");
    arn_ = made.substr(begin, made.find('"', begin) - begin);
    REQUIRE(engine
                .call("UpdateContinuousBackups",
                      named("Things", R"(,"PointInTimeRecoverySpecification":)"
                                      R"({"PointInTimeRecoveryEnabled":true})"))
                .ok);
    maintain_all(engine);
  }

  // How many of the items for "Others" have been put.
  int fill() {
    for (const std::size_t size : {std::size_t{40'000}, std::size_t{3000}, std::size_t{1}})
      while (write("PutItem", "Others", "Item", others_, size)) ++others_;
    return others_;
  }
  bool erase_other(int number) { return write("DeleteItem", "Others", "Key", number, 0); }

  std::string begin(const std::string& way) {
    const std::string target = R"({"TargetTableName":"Copy",)";
    if (way == "CreateBackup")
      return engine_.call(way, named("Things", R"(,"BackupName":"two")")).json;
    if (way == "RestoreTableFromBackup")
      return engine_.call(way, target + R"("BackupArn":")" + arn_ + "\"}").json;
    return engine_
        .call(way, target + R"("SourceTableName":"Things","UseLatestRestorableTime":true})")
        .json;
  }
  // "none", or the state of what begin() has begun.
  std::string state(const std::string& way) {
    const std::string seen = way == "CreateBackup"
                                 ? engine_.call("ListBackups", R"({"TableName":"Things"})").json
                                 : engine_.call("DescribeTable", named("Copy")).json;
    if (has(seen, R"("CREATING")")) return "CREATING";
    const bool is_there = has(seen, R"("two")") || has(seen, R"("TableStatus":"ACTIVE")");
    return is_there ? "whole" : "none";
  }

 private:
  bool write(const char* operation, const char* table, const std::string& member, int number,
             std::size_t size) {
    const std::string fill =
        size == 0 ? std::string() : R"(,"fill":{"S":")" + std::string(size, 'x') + "\"}";
    const std::string item = R"({"pk":{"S":"k)" + std::to_string(number) + "\"}" + fill + "}";
    return engine_.call(operation, named(table, ",\"" + member + "\":" + item)).ok;
  }

  EngineHarness& engine_;
  std::string arn_;
  int others_ = 0;
};

std::string count_in(EngineHarness& engine, std::string_view table) {
  return engine.call("Scan", named(table, R"(,"Select":"COUNT")")).member("Count");
}

}  // namespace

TEST_CASE("full store: backups and restores wait for room even if they are small",
          "[engine][slow]") {
  const int kind = GENERATE(0, 1);      // in memory, in a folder
  const int items = GENERATE(60, 300);  // one piece, and several
  const std::string way =
      GENERATE("CreateBackup", "RestoreTableFromBackup", "RestoreTableToPointInTime");
  INFO("kind " << kind << ", " << items << " items, " << way);
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.map_bytes_max = std::size_t{10} << 20;
  if (kind > 0) settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  StoreWithBackup store(engine, items);
  const int others = store.fill();
  // Without room for a description the request is refused as any write is, and leaves nothing.
  CHECK(has(store.begin(way), "InternalServerError"));
  CHECK(store.state(way) == "none");
  // For a description, but not for the items.
  int erased = 0;
  do {
    REQUIRE(erased < others);
    REQUIRE(store.erase_other(erased++));
  } while (!has(store.begin(way), "CREATING"));
  MaintenanceState left = engine.maintain();
  while (left.is_due) left = engine.maintain();
  CHECK(left.could_not_store);
  CHECK(store.state(way) == "CREATING");
  CHECK(has(engine.call("Scan", named("Copy")).json, "ResourceNotFound"));
  CHECK(std::count_if(engine.warnings.begin(), engine.warnings.end(), [](const std::string& line) {
          return has(line, "waits for room: the data folder or store is full");
        }) == 1);
  CHECK(count_in(engine, "Things") == std::to_string(items));

  for (; erased < others; ++erased) REQUIRE(store.erase_other(erased));
  maintain_all(engine);
  CHECK(store.state(way) == "whole");
  if (way != "CreateBackup") CHECK(count_in(engine, "Copy") == std::to_string(items));
}

TEST_CASE("full store: a new index waits for room even if its table is small", "[engine][slow]") {
  const int kind = GENERATE(0, 1);      // in memory, in a folder
  const int items = GENERATE(60, 300);  // one piece, and several
  INFO("kind " << kind << ", " << items << " items");
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.map_bytes_max = std::size_t{10} << 20;
  if (kind > 0) settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  StoreWithBackup store(engine, 0);
  const std::string fill = R"("},"g":{"S":"x"},"fill":{"S":")" + std::string(3000, 'x') + "\"}}";
  for (int i = 0; i < items; ++i)
    REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"k)" + std::to_string(i) + fill)).ok);
  const int others = store.fill();
  const auto begin = [&] { return engine.call("UpdateTable", create_index("by_g")); };
  // Without room for its description the request is refused as any write is, and leaves nothing.
  CHECK(has(begin().json, "InternalServerError"));
  CHECK(states(engine) == "ACTIVE");
  // For a description, but not for the entries.
  int erased = 0;
  do {
    REQUIRE(erased < others);
    REQUIRE(store.erase_other(erased++));
  } while (!begin().ok);
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE by_g:CREATING:true");
  CHECK(has(engine.call("Scan", named("Things", R"(,"IndexName":"by_g")")).json, "backfilling"));
  CHECK(count_in(engine, "Things") == std::to_string(items));

  for (; erased < others; ++erased) REQUIRE(store.erase_other(erased));
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(content(engine, "by_g") == content(engine));
}
