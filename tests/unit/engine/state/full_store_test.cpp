// A store without room: what makes room goes on, what was deleted can be written again, and the log
// tells of the state once.
#include <catch2/catch.hpp>

#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::size_t kBytesMax = std::size_t{10} << 20;

Settings small(const storage::TemporaryFolder& folder, int kind) {
  Settings settings;
  settings.storage.map_bytes_max = kBytesMax;
  if (kind > 0) settings.storage.folder = folder.path();
  return settings;
}

std::string key(int number) { return R"({"pk":{"S":"k)" + std::to_string(number) + R"("}})"; }

bool put(EngineHarness& engine, int number, std::size_t size, char fill) {
  return engine
      .call("PutItem",
            put_things(R"({"pk":{"S":"k)" + std::to_string(number) +
                       R"("},"g":{"S":"x"},"fill":{"S":")" + std::string(size, fill) + R"("}})"))
      .ok;
}

bool erase(EngineHarness& engine, int number) {
  return engine.call("DeleteItem", R"({"TableName":"Things","Key":)" + key(number) + "}").ok;
}

// Puts until one is refused; how many were stored.
int fill_up(EngineHarness& engine, std::size_t size) {
  int stored = 0;
  while (put(engine, stored, size, 'a')) ++stored;
  return stored;
}

}  // namespace

TEST_CASE("full store: it can be emptied, and filled again", "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const std::size_t size = GENERATE(std::size_t{200}, std::size_t{3000}, std::size_t{40'000});
  INFO("kind " << kind << ", size " << size);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  while (engine.sweep()) {
  }
  const int stored = fill_up(engine, size);
  CHECK(static_cast<std::size_t>(stored) * size > kBytesMax / 5);
  REQUIRE(engine.warnings.size() == 1);
  CHECK(
      engine.warnings[0].starts_with("there is no room for writes, each gets status 500; "
                                     "deleting goes on"));
  // Overwritten as far as it goes.
  for (int i = 0; i < stored; ++i) put(engine, i, size, 'b');
  int refused = 0;
  for (int i = 0; i < stored / 2; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  for (int i = 0; i < stored / 2 - stored / 20; ++i) refused += !put(engine, i, size, 'c');
  CHECK(refused == 0);
  for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  CHECK(put(engine, 0, size, 'd'));
  CHECK(engine.warnings.back() == "there is room for writes again");
  CHECK(engine.warnings.size() <= 6);
}

TEST_CASE("full store: tables can be deleted, and their space is used again", "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  const int stored = fill_up(engine, 3000);
  for (int round = 0; round < 2; ++round) {
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    while (engine.sweep()) {
    }
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
    int again = 0;
    while (again < stored && put(engine, again, 3000, 'b')) ++again;
    CHECK(again > stored * 9 / 10);
  }
}

TEST_CASE("full store: a restart finds it full and usable", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = small(folder, 1);
  int stored = 0;
  {
    EngineHarness engine(settings);
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
    stored = fill_up(engine, 3000);
  }
  settings.storage.map_bytes_max = kBytesMax / 2;  // less than there is
  EngineHarness engine(settings);
  CHECK_FALSE(put(engine, stored, 3000, 'a'));
  int refused = 0;
  for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  CHECK(put(engine, 0, 3000, 'a'));
}

TEST_CASE("full store: what could not be done is done when room came back, while time stands",
          "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  constexpr int kItems = 1400;  // with the index they do not fit
  int stored = 0;
  while (stored < kItems && put(engine, stored, 3000, 'a')) ++stored;
  REQUIRE(stored == kItems);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  MaintenanceState left = engine.maintain();
  while (left.is_due) left = engine.maintain();
  REQUIRE(left.could_not_store);
  REQUIRE(states(engine) == "ACTIVE by_g:CREATING:true");
  REQUIRE_FALSE(engine.maintain().is_due);  // but when time moves

  int told = 0;
  engine.engine().on_maintenance_due([&](Timestamp due) {
    if (due <= engine.clock().now()) ++told;
  });
  int erased = 0;
  while (told == 0 && erased < kItems) REQUIRE(erase(engine, erased++));
  REQUIRE(erased < kItems);
  CHECK(engine.warnings.back() == "there is room for writes again");
  while (told > 0 && erased < kItems / 2) REQUIRE(erase(engine, erased++));
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(content(engine, "by_g") == content(engine));
  engine.engine().on_maintenance_due(nullptr);
}
