// Late indexes (Settings::gsi_delay) as consumers of their tables' journals: each with its own
// place, over restarts, beside consumers that stand still, and without a trace when they are gone.
#include <map>

#include "engine/seams/random.h"
#include "engine/storage/stores/journal.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::chrono::seconds kDelay{5};

Settings in_folder(const storage::TemporaryFolder& folder,
                   std::chrono::microseconds delay = kDelay) {
  Settings settings;
  settings.gsi_delay = delay;
  settings.storage.folder = folder.path();
  return settings;
}

std::string thing(std::string_view key, std::string_view g) {
  return R"({"g":{"S":")" + std::string(g) + R"("},"pk":{"S":")" + std::string(key) + R"("}})";
}

void put(EngineHarness& engine, std::string_view key, std::string_view g) {
  const Answer answer = engine.call("PutItem", put_things(thing(key, g)));
  INFO(answer.json);
  REQUIRE(answer.ok);
}

void create_indexed(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
}

// What the store in the folder holds of journals, with the engine closed.
struct Journals {
  std::vector<storage::Consumer> consumers;
  std::size_t entries = 0;
};
Journals journals(const storage::TemporaryFolder& folder) {
  const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
  storage::ReadTransaction reader(*environment);
  storage::unwrap(reader.acquire());
  Journals found{storage::unwrap(storage::all_consumers(reader)), 0};
  for (const storage::SpaceId table : storage::unwrap(storage::tables_with_journal(reader))) {
    std::uint64_t position = 0;
    while (const auto next = storage::unwrap(storage::find_in_journal(reader, table, position))) {
      position = next->number + 1;
      ++found.entries;
    }
  }
  return found;
}

// Adds (or with an empty position removes) a consumer that stands still, with the engine closed.
void stall(const storage::TemporaryFolder& folder, storage::SpaceId table,
           std::optional<std::uint64_t> position) {
  const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
  const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
  if (position) {
    storage::unwrap(storage::put_consumer(*transaction, {table, "stalled", *position}));
  } else {
    storage::unwrap(storage::erase_consumer(*transaction, table, "stalled"));
  }
  storage::unwrap(transaction->commit());
}

}  // namespace

TEST_CASE("late indexes: without a delay nobody follows a table", "[engine]") {
  const storage::TemporaryFolder folder;
  {
    EngineHarness engine(in_folder(folder, {}));
    create_indexed(engine);
    put(engine, "a", "x");
  }
  const Journals found = journals(folder);
  CHECK(found.consumers.empty());
  CHECK(found.entries == 0);
}

TEST_CASE("late indexes: what they have seen is trimmed, what is left is caught up with",
          "[engine]") {
  const storage::TemporaryFolder folder;
  {
    EngineHarness engine(in_folder(folder, {}));
    create_indexed(engine);
    put(engine, "a", "x");
  }
  {
    // Followed late from here on, though it was active before.
    EngineHarness engine(in_folder(folder));
    put(engine, "b", "x");
    engine.clock().advance(kDelay);
    put(engine, "c", "x");
    CHECK(content(engine, "by_g").size() == 1);
    maintain_all(engine);
    CHECK(content(engine, "by_g").size() == 2);
  }
  const Journals late = journals(folder);
  CHECK(late.consumers.size() == 1);
  CHECK(late.entries == 1);
  {
    EngineHarness engine(in_folder(folder, {}));
    CHECK(content(engine, "by_g").size() == 3);
    put(engine, "d", "x");
    CHECK(content(engine, "by_g").size() == 4);
    maintain_all(engine);
  }
  const Journals none = journals(folder);
  CHECK(none.consumers.empty());
  CHECK(none.entries == 0);
}

TEST_CASE("late indexes: deleted indexes and tables leave no journal", "[engine]") {
  const storage::TemporaryFolder folder;
  const bool is_table = GENERATE(false, true);
  {
    EngineHarness engine(in_folder(folder));
    create_indexed(engine);
    for (int i = 0; i < 30; ++i) put(engine, std::to_string(i), "x");
    engine.reopen();
    REQUIRE((is_table ? engine.call("DeleteTable", named("Things"))
                      : engine.call("UpdateTable", delete_index("by_g")))
                .ok);
    static_cast<void>(engine.maintain({.records_max = 7}));
    engine.reopen();
    maintain_all(engine, {.records_max = 7});
    CHECK_FALSE(engine.maintain().next_due);
  }
  const Journals found = journals(folder);
  CHECK(found.consumers.empty());
  CHECK(found.entries == 0);
}

TEST_CASE("late indexes: one that stands still holds up nobody, and keeps what it needs",
          "[engine]") {
  constexpr int kWrites = 3000;
  const storage::TemporaryFolder folder;
  {
    EngineHarness engine(in_folder(folder));
    create_indexed(engine);
  }
  const storage::SpaceId table = journals(folder).consumers.at(0).table;
  stall(folder, table, 1);
  {
    EngineHarness engine(in_folder(folder));
    std::size_t pieces = 0;
    for (int i = 0; i < kWrites; ++i) {
      put(engine, std::to_string(i % 50), std::to_string(i));
      engine.clock().advance(std::chrono::milliseconds(10));
      if (i % 100 != 99) continue;
      // However long the backlog of the other: as many pieces as there are changes.
      for (pieces = 0; engine.maintain({.records_max = 50}).is_due; ++pieces) {
      }
      REQUIRE(pieces <= 3);
    }
    engine.clock().advance(kDelay);
    maintain_all(engine);
    CHECK(content(engine, "by_g") == content(engine));
  }
  CHECK(journals(folder).entries == kWrites);
  stall(folder, table, std::nullopt);
  {
    EngineHarness engine(in_folder(folder));
    maintain_all(engine, {.records_max = 100});
    CHECK(content(engine, "by_g") == content(engine));
  }
  CHECK(journals(folder).entries == 0);
}

TEST_CASE("late indexes: two of them, restarts at any moment", "[engine]") {
  SeededRandom random(5);
  const storage::TemporaryFolder folder;
  EngineHarness engine(in_folder(folder));
  create_indexed(engine);
  std::map<std::string, std::string> items;
  bool has_other = false;
  for (int step = 0; step < 400; ++step) {
    const std::string key = std::to_string(random.next() % 9);
    items[key] = std::to_string(random.next() % 3);
    put(engine, key, items[key]);
    engine.clock().advance(std::chrono::milliseconds(random.next() % 1000));
    const std::uint64_t dice = random.next() % 12;
    if (dice < 4) static_cast<void>(engine.maintain({.records_max = 1 + dice}));
    if (dice == 4) engine.reopen();
    if (dice == 5) {
      const auto change = has_other ? delete_index("other") : create_index("other");
      REQUIRE(engine.call("UpdateTable", change).ok);
      has_other = !has_other;
    }
  }
  engine.clock().advance(kDelay);
  maintain_all(engine, {.records_max = 3});
  CHECK(content(engine).size() == items.size());
  CHECK(content(engine, "by_g") == content(engine));
  if (has_other) CHECK(content(engine, "other") == content(engine));
}
