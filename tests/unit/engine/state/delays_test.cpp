// Settings::gsi_delay and Settings::eventual_read_lag over restarts and random histories; the rest
// is in tests/cases/engine/delays.cases.
#include <map>

#include "engine/catalog/lagging_snapshots.h"
#include "engine/seams/random.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::chrono::seconds kDelay{5};
constexpr std::chrono::seconds kSecond{1};

Settings with_gsi_delay(std::chrono::microseconds delay = kDelay) {
  Settings settings;
  settings.gsi_delay = delay;
  return settings;
}

Settings with_lag() {
  Settings settings;
  settings.eventual_read_lag = kDelay;
  return settings;
}

// "Things" with the key pk and a global index by g.
void create_indexed(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
}

std::string thing(std::string_view key, std::string_view g) {
  return R"({"g":{"S":")" + std::string(g) + R"("},"pk":{"S":")" + std::string(key) + R"("}})";
}

Answer put(EngineHarness& engine, std::string_view key, std::string_view g) {
  const Answer answer = engine.call("PutItem", put_things(thing(key, g)));
  INFO(answer.json);
  REQUIRE(answer.ok);
  return answer;
}

std::string seen(EngineHarness& engine, std::string_view key) {
  return engine
      .call("GetItem", R"({"TableName":"Things","Key":{"pk":{"S":")" + std::string(key) + R"("}}})")
      .member("Item");
}

Answer index_description(EngineHarness& engine) {
  const Answer described = engine.call("DescribeTable", named("Things"));
  return {true, elements_of(described.member("GlobalSecondaryIndexes"))[0], 0};
}

using Items = std::vector<std::string>;  // sorted, so by g first

}  // namespace

TEST_CASE("gsi delay: a write tells when it is due, and costs the same", "[engine]") {
  EngineHarness engine(with_gsi_delay());
  EngineHarness at_once;
  create_indexed(engine);
  create_indexed(at_once);
  std::vector<Timestamp> told;
  engine.engine().on_maintenance_due([&](Timestamp due) { told.push_back(due); });
  CHECK(put(engine, "a", "x").units_milli == put(at_once, "a", "x").units_milli);
  CHECK(told == std::vector<Timestamp>{engine.clock().now().plus(kDelay)});
  CHECK(put(engine, "a", "y").units_milli == put(at_once, "a", "y").units_milli);
}

TEST_CASE("gsi delay: changes survive a restart, and a shorter delay keeps their order",
          "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = with_gsi_delay();
  settings.storage.folder = folder.path();
  {
    EngineHarness engine(settings);
    create_indexed(engine);
    put(engine, "a", "x");
    engine.reopen();
    CHECK(content(engine, "by_g").empty());
    put(engine, "b", "x");
  }
  settings.gsi_delay = kSecond;
  {
    EngineHarness engine(settings);
    put(engine, "a", "y");
    maintain_all(engine);
    CHECK(content(engine, "by_g").empty());
    // The delay of today counts for what was written under the one of before, too.
    engine.clock().advance(kSecond);
    maintain_all(engine, {.records_max = 2});
    CHECK(content(engine, "by_g") == Items{thing("b", "x"), thing("a", "y")});
    put(engine, "a", "z");
  }
  settings.gsi_delay = {};
  EngineHarness engine(settings);
  CHECK(content(engine, "by_g") == Items{thing("b", "x"), thing("a", "z")});
  put(engine, "b", "q");
  CHECK(content(engine, "by_g") == Items{thing("b", "q"), thing("a", "z")});
  CHECK(index_description(engine).member("ItemCount") == "2");
}

TEST_CASE("gsi delay: an index is its table's past, whatever is written", "[engine]") {
  SeededRandom random(7);
  EngineHarness engine(with_gsi_delay());
  create_indexed(engine);
  std::map<std::string, std::string> items;
  std::vector<std::pair<Timestamp, Items>> history{{engine.clock().now(), {}}};
  for (int step = 0; step < 400; ++step) {
    const std::string key = std::to_string(random.next() % 9);
    if (random.next() % 3 == 0) {
      engine.call("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":")" + key + R"("}}})");
      items.erase(key);
    } else {
      items[key] = thing(key, std::to_string(random.next() % 3));
      put(engine, key, items[key].substr(11, 1));
    }
    Items all;
    for (const auto& [pk, item] : items) all.push_back(item);
    std::sort(all.begin(), all.end());
    history.emplace_back(engine.clock().now(), all);
    engine.clock().advance(std::chrono::milliseconds(random.next() % 1000));
    if (random.next() % 4 != 0) continue;
    maintain_all(engine, {.records_max = 1 + random.next() % 3});
    const Timestamp now = engine.clock().now();
    auto then = history.begin();
    while (then + 1 != history.end() && (then + 1)->first.plus(kDelay) <= now) ++then;
    REQUIRE(content(engine, "by_g") == then->second);
  }
}

TEST_CASE("eventual reads: a random history", "[engine]") {
  SeededRandom random(11);
  EngineHarness engine(with_lag());
  create_indexed(engine);
  constexpr std::chrono::microseconds kStep = std::chrono::microseconds(kDelay) / 15;
  std::vector<Timestamp> written{Timestamp::min()};  // number i was written then
  for (int step = 1; step <= 2000; ++step) {
    put(engine, "a", std::to_string(step));
    written.push_back(engine.clock().now());
    const std::uint64_t dice = random.next();
    const auto pause = std::chrono::milliseconds((dice >> 8) % (dice % 10 == 0 ? 8000 : 150));
    engine.clock().advance(pause);
    if (random.next() % 3 != 0) continue;
    const std::string item = seen(engine, "a");
    const std::size_t number = item.empty() ? 0 : std::stoul(item.substr(11));
    const Timestamp now = engine.clock().now();
    INFO("step " << step << " sees " << number);
    // Not younger than the lag, and the newest of those but for a step between kept states.
    if (number != 0) REQUIRE(written[number].plus(kDelay) <= now);
    for (std::size_t later = number + 1; later < written.size(); ++later)
      REQUIRE(written[later].plus(kDelay + kStep) > now);
  }
}

TEST_CASE("lagging snapshots: few are kept, however often is written", "[engine]") {
  const auto environment = storage::open_or_throw(storage::in_memory());
  LaggingSnapshots past(*environment, kDelay);
  SeededRandom random(3);
  Timestamp now{1'000'000'000};
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
    storage::unwrap(transaction->put(storage::Database::Meta, "number", std::to_string(i)));
    past.about_to_commit(now);
    storage::unwrap(transaction->commit());
    most = std::max(most, past.kept_count());
    const std::uint64_t dice = random.next();
    now = now.plus(std::chrono::microseconds((dice >> 8) % (dice % 2 == 0 ? 400'000 : 2'000)));
  }
  CHECK(most > 4);
  CHECK(most <= LaggingSnapshots::kKeptMax);
  // After a long pause the latest state will do, and none is left behind.
  now = now.plus(10 * kDelay);
  storage::ReadTransaction latest(*environment);
  CHECK(storage::unwrap(past.find(now, kDelay, latest)) == nullptr);
  CHECK(storage::unwrap(latest.find(storage::Database::Meta, "number")) == "19999");
  latest.release();
  past.about_to_commit(now);
  CHECK(past.kept_count() == 1);
}

TEST_CASE("lagging snapshots: states are retained from when they are asked for", "[engine]") {
  using std::chrono::seconds;
  const auto environment = storage::open_or_throw(storage::in_memory());
  LaggingSnapshots past(*environment, std::chrono::microseconds{0});
  storage::ReadTransaction latest(*environment);
  int number = 0;
  const auto commit = [&](Timestamp now) {
    const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
    storage::unwrap(transaction->put(storage::Database::Meta, "number", std::to_string(++number)));
    past.about_to_commit(now);
    storage::unwrap(transaction->commit());
  };
  const auto seen = [&](Timestamp now, std::chrono::microseconds age) {
    const auto earlier = storage::unwrap(past.find(now, age, latest));
    const storage::Transaction& from = earlier ? earlier->transaction : latest;
    const auto found = storage::unwrap(from.find(storage::Database::Meta, "number"));
    std::string text(found.value_or("none"));
    latest.release();
    return text;
  };
  Timestamp now{1'000'000'000'000};
  commit(now);
  CHECK_FALSE(past.is_on());
  CHECK(past.kept_count() == 0);
  past.retain_for(seconds(2), now);
  CHECK(past.is_on());
  CHECK(seen(now, seconds(2)) == "1");  // of what is known, the oldest
  commit(now);
  CHECK(seen(now, seconds(2)) == "1");
  past.retain_for(seconds(9), now);  // what the others see is old enough for these reads, too
  now = now.plus(seconds(3));
  commit(now);
  CHECK(seen(now, seconds(9)) == "1");
  CHECK(seen(now, seconds(2)) == "2");
  now = now.plus(seconds(2));
  CHECK(seen(now, seconds(2)) == "3");
  CHECK(seen(now, seconds(9)) == "1");
  past.retain_for(std::chrono::microseconds{0}, now);
  CHECK_FALSE(past.is_on());
  CHECK(past.kept_count() == 0);
  commit(now);
  CHECK(past.kept_count() == 0);
}

TEST_CASE("lagging snapshots: a clock that is set back pins nothing", "[engine]") {
  constexpr std::chrono::microseconds kHalf = std::chrono::microseconds(kDelay) / 2;
  const auto environment = storage::open_or_throw(storage::in_memory());
  LaggingSnapshots past(*environment, kDelay);
  storage::ReadTransaction latest(*environment);
  int number = 0;
  const auto commit = [&](Timestamp now) {
    const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
    storage::unwrap(transaction->put(storage::Database::Meta, "number", std::to_string(++number)));
    past.about_to_commit(now);
    storage::unwrap(transaction->commit());
  };
  const auto seen = [&](Timestamp now) {
    const auto earlier = storage::unwrap(past.find(now, kDelay, latest));
    const storage::Transaction& from = earlier ? earlier->transaction : latest;
    const auto found = storage::unwrap(from.find(storage::Database::Meta, "number"));
    std::string text(found.value_or("none"));
    latest.release();
    return text;
  };
  Timestamp now{1'000'000'000'000};
  for (int i = 0; i < 10; ++i) {
    commit(now);
    now = now.plus(kHalf);
  }
  CHECK(past.kept_count() > 1);
  now = now.plus(-std::chrono::hours(1));
  commit(now);
  CHECK(past.kept_count() == 1);
  CHECK(seen(now) == "11");  // younger than the lag: nothing is known to be old enough
  // From here on as ever.
  now = now.plus(kHalf);
  commit(now);
  now = now.plus(kHalf);
  CHECK(seen(now) == "11");
  now = now.plus(kHalf);
  CHECK(seen(now) == "12");
}
