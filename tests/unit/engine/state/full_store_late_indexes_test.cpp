// Late indexes in a store without room: they catch up from what deletions leave them, lose nothing,
// and the log tells once that they wait and once that they go on.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/seams/random.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace std::chrono_literals;
using namespace stator;
using namespace stator::test;

namespace {

using Change = Engine::SettingsChange;

void must(const Answer& answer) {
  INFO(answer.json);
  REQUIRE(answer.ok);
}

// A small store with the table Things, whose indexes are a minute late.
struct LateStore {
  LateStore(bool is_in_folder, int indexes) : settings(of_folder(is_in_folder)), engine(settings) {
    must(engine.call("CreateTable", hash_table("Things")));
    must(engine.call("UpdateTable", create_index("by_g")));
    maintain_all(engine);
    if (indexes == 2) must(engine.call("UpdateTable", create_index("other")));
    maintain_all(engine);
  }

  Settings of_folder(bool is_in_folder) const {
    Settings made;
    made.gsi_delay = 60s;
    made.storage.map_bytes_max = std::size_t{10} << 20;
    if (is_in_folder) made.storage.folder = folder.path();
    return made;
  }

  bool put(int key, std::string_view g, std::size_t size) {
    return engine
        .call("PutItem", put_things(R"({"pk":{"S":"k)" + std::to_string(key) + R"("},"g":{"S":")" +
                                    std::string(g) + R"("},"fill":{"S":")" +
                                    std::string(size, 'a') + R"("}})"))
        .ok;
  }
  void erase(int key) {
    must(engine.call("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":"k)" +
                                       std::to_string(key) + R"("}}})"));
  }
  // Puts until one is refused; how many were stored.
  int fill_up(std::size_t size) {
    int stored = 0;
    while (put(stored, "x", size)) ++stored;
    REQUIRE(stored > 300);
    return stored;
  }
  [[nodiscard]] Change set_delay(std::chrono::microseconds delay) {
    settings.gsi_delay = delay;
    return engine.engine().change_settings(settings);
  }
  // Everything that is due after the pause.
  void maintain_after(std::chrono::microseconds pause) {
    engine.clock().advance(pause);
    maintain_all(engine);
  }
  auto lines_with(std::string_view text) const {
    return std::count_if(
        engine.warnings.begin(), engine.warnings.end(),
        [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  const storage::TemporaryFolder folder;
  Settings settings;
  EngineHarness engine;
};

// "ItemCount SizeBytes" of the table and of each of its indexes.
std::vector<std::string> counts(EngineHarness& engine) {
  Answer table;
  table.json = engine.call("DescribeTable", named("Things")).member("Table");
  std::vector<std::string> all{table.member("ItemCount") + " " + table.member("TableSizeBytes")};
  for (const std::string& element : elements_of(table.member("GlobalSecondaryIndexes"))) {
    const Answer index{true, element, 0};
    all.push_back(index.member("ItemCount") + " " + index.member("IndexSizeBytes"));
  }
  return all;
}

// Each index has an item at most once, and its count is that of its entries.
void check_counts_and_keys(EngineHarness& engine) {
  const std::vector<std::string> all = counts(engine);
  std::size_t number = 0;
  for (const std::string_view index : {"by_g", "other"}) {
    if (++number == all.size()) break;
    const std::vector<std::string> entries = content(engine, index);
    std::set<std::string> keys;
    for (const std::string& entry : entries) keys.insert(Answer{true, entry, 0}.member("pk"));
    CHECK(keys.size() == entries.size());
    CHECK(all[number].starts_with(std::to_string(entries.size()) + " "));
  }
}

}  // namespace

TEST_CASE("full store: late indexes catch up when the items are deleted", "[engine][slow]") {
  const int indexes = GENERATE(1, 2);
  const std::size_t size = 3000;
  LateStore store(/*is_in_folder=*/false, indexes);
  const int stored = store.fill_up(size);
  const int kept = GENERATE(0, 2) * stored / 3;
  INFO("indexes " << indexes << ", kept " << kept << " of " << stored);
  for (int key = kept; key < stored; ++key) store.erase(key);
  store.maintain_after(60s);
  if (kept == 0 || indexes == 1) {
    CHECK(content(store.engine, "by_g") == content(store.engine));
    CHECK(store.put(stored, "x", size));
  }
  for (int key = 0; key < kept; ++key) store.erase(key);
  store.maintain_after(60s);
  store.maintain_after(60s);
  CHECK(content(store.engine, "by_g") == content(store.engine));
  CHECK(store.put(stored, "y", size));
  store.maintain_after(60s);
  CHECK(content(store.engine, "by_g").size() == content(store.engine).size());
  for (const std::string& count : counts(store.engine)) CHECK(count == counts(store.engine)[0]);
}

TEST_CASE("full store: an index that alone retains changes has them at once without a delay",
          "[engine]") {
  const bool is_in_folder = GENERATE(false, true);
  LateStore store(is_in_folder, 1);
  store.fill_up(3000);
  CHECK(store.set_delay(0s) == Change::Done);
  CHECK(content(store.engine, "by_g") == content(store.engine));
  CHECK(store.lines_with("waits for room") == 0);
}

TEST_CASE("full store: the log tells once that late indexes wait, and once that they go on",
          "[engine]") {
  LateStore store(false, 2);
  const int stored = store.fill_up(3000);
  CHECK(store.set_delay(0s) == Change::NotFollowed);
  for (int seconds = 0; seconds < 5; ++seconds) {
    int pieces = 0;
    store.engine.clock().advance(1s);
    while (store.engine.maintain().is_due) ++pieces;
    CHECK(pieces < 10);
  }
  const std::string index = "the index 'by_g' of table 'Things' ";
  CHECK(store.lines_with(index + "waits for room: the data folder or store is full") == 1);
  CHECK(store.lines_with(index + "goes on") == 0);
  for (int key = 0; key < stored; ++key) store.erase(key);
  store.maintain_after(1s);
  CHECK(store.lines_with(index + "waits for room") == 1);
  CHECK(store.lines_with(index + "goes on: it has all changes that are due") == 1);
  // The delay is over without another request.
  REQUIRE(store.put(0, "x", 3000));
  CHECK(content(store.engine, "by_g") == content(store.engine));
  CHECK(content(store.engine, "other") == content(store.engine));
}

TEST_CASE("full store: late indexes that leave out what is gone have every item once",
          "[engine][slow]") {
  SeededRandom random(GENERATE(1U, 2U, 3U));
  LateStore store(false, 2);
  must(store.engine.call("CreateTable", hash_table("Filler")));
  const auto change = [&] {
    const int key = static_cast<int>(random.next() % 30);
    if (random.next() % 3 == 0) return store.erase(key);
    store.put(key, std::to_string(random.next() % 4), random.next() % 200);
  };
  for (int i = 0; i < 300; ++i) change();
  store.maintain_after(60s);
  for (int i = 0; i < 300; ++i) change();
  const auto filler = [](int key) {
    return R"({"TableName":"Filler","Item":{"pk":{"S":")" + std::to_string(key) +
           R"("},"f":{"S":")" + std::string(3000, 'f') + R"("}}})";
  };
  int filled = 0;
  while (store.engine.call("PutItem", filler(filled)).ok) ++filled;
  CHECK(store.set_delay(0s) == Change::NotFollowed);
  for (int key = 0; key < 30; key += 2) store.erase(key);
  store.maintain_after(1s);
  for (int key = 0; key < filled; ++key) {
    must(store.engine.call("DeleteItem", R"({"TableName":"Filler","Key":{"pk":{"S":")" +
                                             std::to_string(key) + R"("}}})"));
    if (key % 100 == 0) store.maintain_after(1s);
    if (key > filled / 2) change();
  }
  store.maintain_after(1s);
  CHECK(content(store.engine, "by_g") == content(store.engine));
  CHECK(content(store.engine, "other") == content(store.engine));
  for (const std::string& count : counts(store.engine)) CHECK(count == counts(store.engine)[0]);
}

TEST_CASE("full store: late indexes have no item twice, whatever comes while they catch up",
          "[engine][slow]") {
  SeededRandom random(GENERATE(1U, 2U));
  const int indexes = GENERATE(1, 2);
  const bool has_delay = GENERATE(false, true);
  LateStore store(/*is_in_folder=*/true, indexes);
  const auto change = [&] {
    const int key = static_cast<int>(random.next() % 400);
    if (random.next() % 3 == 0) return store.erase(key);
    store.put(key, std::to_string(random.next() % 4), random.next() % 200);
  };
  const int stored = store.fill_up(3000);
  for (int key = 0; key < stored; ++key) {
    if (random.next() % 8 != 0) store.erase(key);
  }
  for (int i = 0; i < 200; ++i) change();
  store.engine.clock().advance(60s);
  // Some pieces, restarts, and in between changes that are not due yet.
  for (int i = 0; i < 40; ++i) {
    store.engine.maintain();
    if (i % 4 == 0) store.engine.clock().advance(1s);
    if (i % 16 == 7) store.engine.reopen();
    for (int more = 0; more < 3; ++more) change();
    check_counts_and_keys(store.engine);
  }
  // Two indexes retain the changes for each other, so only what is gone needs no room.
  for (int key = 0; key < stored && indexes == 2; ++key) store.erase(key);
  if (has_delay) store.maintain_after(60s);
  CHECK((has_delay || store.set_delay(0s) == Change::Done));
  CHECK(content(store.engine, "by_g") == content(store.engine));
  check_counts_and_keys(store.engine);
  for (const std::string& count : counts(store.engine)) CHECK(count == counts(store.engine)[0]);
}
