#include "engine/history/kept_changes.h"

#include <catch2/catch.hpp>

#include "engine/reports/views/item_history.h"
#include "tests/unit/engine/reports/views/view_driver.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

storage::SpaceId space_of(test::EngineDriver& driver) {
  return test::view_of<storage::SpaceId>(
      driver.engine(), [](const Snapshot& snapshot) -> Result<storage::SpaceId> {
        const Table* const table = TableView(snapshot).find("us-east-1", "Things");
        REQUIRE(table != nullptr);
        return table->space;
      });
}

ItemHistory history_of(test::EngineDriver& driver) {
  return test::view_of<ItemHistory>(driver.engine(), [](const Snapshot& snapshot) {
    const Table* const table = TableView(snapshot).find("us-east-1", "Things");
    REQUIRE(table != nullptr);
    const Member member{"pk", Value::string("0")};
    test::Patience patience;
    return item_history(snapshot, *table, Item(&member, 1), 0, 1000, patience);
  });
}

TEST_CASE("kept changes: a table keeps them from a request on, until another", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::put_many(driver, "Things", 0, 1, "");
  CHECK(history_of(driver).kept_by.empty());
  const storage::SpaceId space = space_of(driver);
  REQUIRE(keep_changes(driver.engine(), space, 1h) == KeptOutcome::Done);
  CHECK(history_of(driver).entries.empty());
  test::put_many(driver, "Things", 0, 1, R"(,"n":{"N":"1"})");
  CHECK(history_of(driver).entries.size() == 1);
  // Another time keeps what is there, and is the only one.
  REQUIRE(keep_changes(driver.engine(), space, 2h) == KeptOutcome::Done);
  test::put_many(driver, "Things", 0, 1, R"(,"n":{"N":"2"})");
  CHECK(history_of(driver).entries.size() == 2);
  CHECK(history_of(driver).kept_by == std::vector<std::string_view>{"console"});
  REQUIRE(keep_changes(driver.engine(), space, 0s) == KeptOutcome::Done);
  CHECK(history_of(driver).kept_by.empty());
  test::require_ok(driver, "DeleteTable", test::named("Things"));
  while (driver.sweep()) {
  }
  CHECK(keep_changes(driver.engine(), space, 1h) == KeptOutcome::TableGone);
}

}  // namespace
}  // namespace stator
