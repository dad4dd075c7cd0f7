// Global indexes built while items come and go, and when maintenance is due for them; phases and
// what each admits are in tests/cases/engine/index-life.cases.
#include "tests/unit/engine/indexes/index_life.h"

#include <map>

#include "engine/seams/random.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

TEST_CASE("index life: commits tell when maintenance is due", "[engine]") {
  EngineHarness engine(with_phases());
  std::vector<Timestamp> told;
  engine.engine().on_maintenance_due([&](Timestamp due) { told.push_back(due); });
  engine.call("CreateTable", hash_table("Things"));
  engine.clock().advance(kPhase);
  engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})"));
  CHECK(told.empty());
  engine.call("UpdateTable", create_index("by_g"));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == engine.clock().now().plus(kPhase));
  engine.clock().advance(kPhase);
  maintain_all(engine);
  told.clear();
  engine.call("DeleteTable", named("Things"));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == engine.clock().now().plus(kPhase));
}

namespace {

// A table whose items come and go while an index is built: what the index must be at the end.
class BuildModel {
 public:
  BuildModel(EngineHarness& engine, SeededRandom& random) : engine_(engine), random_(random) {}

  bool chance(int percent) { return random_.next() % 100 < static_cast<unsigned>(percent); }

  void write() {
    const std::string key = some_key();
    const std::string lookup =
        R"("pk":{"S":")" + key + R"("},"sk":{"S":")" + some_sort_key() + R"("})";
    if (chance(35)) {
      const std::string request = R"({"TableName":"Things","Key":{)" + lookup + "}}";
      REQUIRE(engine_.call("DeleteItem", request).ok);
      items_.erase(lookup);
      return;
    }
    const std::string g = some_index_key();
    const std::string v = R"("v":{"N":")" + std::to_string(random_.next() % 10) + R"("})";
    const std::string item = "{" + g + lookup + "," + v + "}";
    const Answer answer = engine_.call("PutItem", put_things(item));
    if (answer.ok) items_[lookup] = item;
    CHECK((answer.ok || answer.json.find("ValidationException") != std::string::npos));
  }

  void check() {
    std::vector<std::string> all;
    std::vector<std::string> indexed;
    for (const auto& [key, item] : items_) {
      all.push_back(item);
      if (item.starts_with(R"({"g":{"S":"k)") && item.size() < 2000) indexed.push_back(item);
    }
    std::sort(all.begin(), all.end());
    std::sort(indexed.begin(), indexed.end());
    REQUIRE(content(engine_) == all);
    REQUIRE(content(engine_, "by_g") == indexed);
    const Answer described = engine_.call("DescribeTable", named("Things"));
    const Answer index{true, elements_of(described.member("GlobalSecondaryIndexes"))[0], 0};
    CHECK(index.member("ItemCount") == std::to_string(indexed.size()));
    if (indexed.empty()) CHECK(index.member("IndexSizeBytes") == "0");
  }

 private:
  // Few, so that items are written again; some longer than a key of the store.
  std::string some_key() {
    const std::string number = std::to_string(random_.next() % 12);
    return random_.next() % 12 < 2 ? std::string(700, 'k') + number : number;
  }
  std::string some_sort_key() {
    const std::string number = std::to_string(random_.next() % 4);
    return chance(20) ? std::string(900, 's') + number : number;
  }
  // With a comma behind; most of them fit the index.
  std::string some_index_key() {
    const std::string number = std::to_string(random_.next() % 3);
    switch (random_.next() % 8) {
      case 0:
        return "";
      case 1:
        return R"("g":{"N":")" + number + R"("},)";
      case 2:
        return R"("g":{"S":""},)";
      case 3:
        return R"("g":{"S":"k)" + std::string(2100, 'g') + R"("},)";
      default:
        return R"("g":{"S":"k)" + number + R"("},)";
    }
  }

  EngineHarness& engine_;
  SeededRandom& random_;
  std::map<std::string, std::string> items_;
};

void build_under_writes(EngineHarness& engine, std::uint64_t seed, bool reopens) {
  INFO("seed " << seed);
  SeededRandom random(seed);
  BuildModel model(engine, random);
  REQUIRE(engine.call("CreateTable", create_table_request("Things (pk, sk)")).ok);
  engine.clock().advance(kPhase);
  for (int round = 0; round < 4; ++round) {
    for (auto count = random.next() % 60; count > 0; --count) model.write();
    REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
    for (auto count = random.next() % 10; count > 0; --count) model.write();
    engine.clock().advance(kPhase);
    while (states(engine) != "ACTIVE by_g:ACTIVE") {
      for (auto count = random.next() % 6; count > 0; --count) model.write();
      if (reopens && model.chance(15)) engine.reopen();
      engine.maintain({.records_max = 1 + random.next() % 5});
      if (model.chance(3)) {
        // Thinks better of it, and begins again.
        REQUIRE(engine.call("UpdateTable", delete_index("by_g")).ok);
        engine.clock().advance(kPhase);
        if (model.chance(50)) engine.maintain({.records_max = 3});
        REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
        engine.clock().advance(kPhase);
      }
    }
    model.check();
    for (int i = 0; i < 20; ++i) model.write();
    model.check();
    REQUIRE(engine.call("UpdateTable", delete_index("by_g")).ok);
    engine.clock().advance(kPhase);
  }
}

}  // namespace

TEST_CASE("index life: what is written during the backfill is in the index", "[engine]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    EngineHarness engine(with_phases());
    build_under_writes(engine, seed, /*reopens=*/false);
  }
}

TEST_CASE("index life: the backfill goes on after a restart", "[engine]") {
  for (std::uint64_t seed = 101; seed <= 106; ++seed) {
    const storage::TemporaryFolder folder;
    Settings settings = with_phases();
    settings.storage.folder = folder.path();
    EngineHarness engine(settings);
    build_under_writes(engine, seed, /*reopens=*/true);
  }
}
