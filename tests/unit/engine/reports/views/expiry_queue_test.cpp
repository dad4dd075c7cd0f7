#include "engine/reports/views/expiry_queue.h"

#include "tests/unit/engine/reports/views/view_driver.h"

namespace stator {
namespace {

constexpr int kExpiriesMax = static_cast<int>(kExpiriesCountedMax);

ExpiryQueue queue_of(test::EngineDriver& driver, std::size_t items_max = 10) {
  return test::view_of<ExpiryQueue>(driver.engine(), [&](const Snapshot& snapshot) {
    const Table* const table = TableView(snapshot).find("us-east-1", "Things");
    REQUIRE(table != nullptr);
    return expiry_queue(snapshot, {}, *table, std::nullopt, items_max);
  });
}

TEST_CASE("expiry queue: what is counted has a bound", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::enable_expiry(driver, "Things");
  test::put_many(driver, "Things", 0, kExpiriesMax, test::ending(test::kDriverNow_s + 10));
  ExpiryQueue told = queue_of(driver);
  CHECK_FALSE(told.has_more);
  REQUIRE(told.buckets.size() == 2);
  CHECK(told.buckets[0].items == 0);
  CHECK(told.buckets[1].items == kExpiriesCountedMax);
  CHECK(told.items.size() == 10);
  CHECK(told.next.has_value());
  test::put_many(driver, "Things", kExpiriesMax, kExpiriesMax + 1,
                 test::ending(test::kDriverNow_s + 9'000));
  told = queue_of(driver);
  CHECK(told.has_more);
  CHECK(told.buckets.size() == 2);
  CHECK(told.buckets[1].items == kExpiriesCountedMax);
}

TEST_CASE("expiry queue: while the times of items are read there are more", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::put_many(driver, "Things", 0, 3, test::ending(test::kDriverNow_s + 10));
  test::require_ok(driver, "UpdateTimeToLive", test::enabled_expiry("Things"));
  CHECK(queue_of(driver).has_more);
  while (driver.sweep()) {
  }
  CHECK_FALSE(queue_of(driver).has_more);
  CHECK(queue_of(driver).items.size() == 3);
}

TEST_CASE("expiry queue: items that are too old take part in the bound", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::enable_expiry(driver, "Things");
  test::put_many(driver, "Things", 0, kExpiriesMax + 1, test::ending(1'000'000));
  test::put_many(driver, "Things", kExpiriesMax + 1, kExpiriesMax + 3,
                 test::ending(test::kDriverNow_s + 10));
  const ExpiryQueue told = queue_of(driver, 1);
  CHECK(told.too_old == kExpiriesCountedMax);
  CHECK(told.has_more);
  REQUIRE(told.items.size() == 1);
  CHECK(told.items.front().expires == Timestamp{(test::kDriverNow_s + 10) * 1'000'000});
  CHECK(told.items.front().due == Timestamp{(test::kDriverNow_s + 11) * 1'000'000});
}

}  // namespace
}  // namespace stator
