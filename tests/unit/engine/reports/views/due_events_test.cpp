#include "engine/reports/views/due_events.h"

#include "tests/unit/engine/reports/views/view_driver.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

constexpr int kCountedMax = static_cast<int>(kDueEntriesMax);

DueEvents due_of(test::EngineDriver& driver, const Settings& settings, std::size_t count_max = 1000,
                 Timestamp until = Timestamp::max()) {
  return test::view_of<DueEvents>(driver.engine(), [&](const Snapshot& snapshot) {
    test::Patience patience;
    return due_events(snapshot, settings, until, count_max, patience);
  });
}

TEST_CASE("due events: items of one sweep are one event", "[engine]") {
  Settings settings;
  settings.ttl_sweep_interval = 1h;
  test::EngineDriver driver(settings);
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::enable_expiry(driver, "Things");
  test::put_many(driver, "Things", 0, 5, test::ending(test::kDriverNow_s + 10));
  test::put_many(driver, "Things", 5, 7, test::ending(test::kDriverNow_s + 20));
  test::put_many(driver, "Things", 7, 8, test::ending(test::kDriverNow_s + 7200));
  const DueEvents told = due_of(driver, settings);
  REQUIRE(told.events.size() == 3);
  CHECK(told.events[0].time == Timestamp{(test::kDriverNow_s + 11) * 1'000'000});
  CHECK(told.events[0].count == 5);
  // The second sweep waits for the next hour.
  CHECK(told.events[1].time == Timestamp{(test::kDriverNow_s / 3600 + 1) * 3'600'000'000});
  CHECK(told.events[1].what == "2 items expire");
  CHECK(told.events[2].count == 1);
  CHECK_FALSE(told.has_more);
  // And so it happens.
  for (int step = 0; step < 2; ++step) {
    driver.clock().advance(15s);
    while (driver.sweep()) {
    }
    CHECK(driver.call("Scan", test::named("Things")).member("Count") == "3");
  }
  // Up to a time, or a number.
  CHECK(due_of(driver, settings, 1000, Timestamp{(test::kDriverNow_s + 30) * 1'000'000})
            .events.empty());
  const DueEvents first = due_of(driver, settings, 1);
  CHECK(first.events.size() == 1);
  CHECK(first.has_more);
}

TEST_CASE("due events: that the times of items are still read is told", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::put_many(driver, "Things", 0, 5, test::ending(test::kDriverNow_s + 10));
  test::require_ok(driver, "UpdateTimeToLive", test::enabled_expiry("Things"));
  const DueEvents before = due_of(driver, {});
  REQUIRE(before.events.size() == 1);
  CHECK(before.events[0].time == driver.clock().now());
  CHECK(before.events[0].what == "the times of the items are read");
  CHECK_FALSE(before.events[0].count);
  while (driver.sweep()) {
  }
  const DueEvents after = due_of(driver, {});
  REQUIRE(after.events.size() == 1);
  CHECK(after.events[0].count == 5);
}

TEST_CASE("due events: what is counted has a bound", "[engine]") {
  test::EngineDriver driver;
  for (const std::string table : {"Some", "Many", "More"}) {
    test::require_ok(driver, "CreateTable", test::hash_table(table));
    test::enable_expiry(driver, table);
  }
  test::put_many(driver, "Many", 0, kCountedMax + 5, test::ending(test::kDriverNow_s + 10));
  test::put_many(driver, "More", 0, 1, test::ending(test::kDriverNow_s + 10));
  test::put_many(driver, "Some", 0, 1, test::ending(test::kDriverNow_s + 10));
  const DueEvents told = due_of(driver, {});
  REQUIRE(told.events.size() == 3);
  CHECK(told.has_more);
  CHECK(told.events[0].count == kDueEntriesMax);
  // The others have no number, because it would be wrong.
  CHECK(told.events[1].label.table == "More");
  CHECK(told.events[1].what == "items expire");
  CHECK_FALSE(told.events[1].count);
}

TEST_CASE("due events: an abandoned request stops", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  const auto told = test::view_of<DueEvents>(driver.engine(), [&](const Snapshot& snapshot) {
    test::Patience patience;
    patience.is_over = true;
    return due_events(snapshot, {}, Timestamp::max(), 10, patience);
  });
  CHECK(told.is_stopped);
}

TEST_CASE("due events: tables of another isolation are not told", "[engine]") {
  Settings settings;
  settings.control_plane_delay = 10s;
  test::EngineDriver driver(settings);
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  CHECK(due_of(driver, settings).events.size() == 1);
  settings.isolation = Isolation::Key;
  CHECK(due_of(driver, settings).events.empty());
}

}  // namespace
}  // namespace stator
