#include "engine/reports/views/mark_changes.h"

#include <optional>

#include "engine/api/control.h"
#include "tests/unit/engine/reports/views/view_driver.h"

namespace stator {
namespace {

constexpr int kRecordsMax = static_cast<int>(kMarkRecordsMax);

std::optional<MarkChanges> changes_of(test::EngineDriver& driver, std::string_view mark,
                                      const std::string& after = {}, std::size_t items_max = 1000,
                                      std::string_view table = {}) {
  return test::view_of<std::optional<MarkChanges>>(driver.engine(), [&](const Snapshot& snapshot) {
    test::Patience patience;
    const auto is_meant = [&](const TableLabel& label) {
      return table.empty() || label.table == table;
    };
    return mark_changes(snapshot, {Isolation::Region, mark, is_meant, after, items_max}, patience);
  });
}

TEST_CASE("changes since a mark: a page reads a bounded number of records", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Many"));
  test::require_ok(driver, "CreateTable", test::hash_table("Some"));
  REQUIRE(driver.engine().set_mark("seeded") == MarkOutcome::Done);
  test::put_many(driver, "Many", 0, kRecordsMax + 10, "");
  test::put_many(driver, "Some", 0, 3, "");
  // The table with the lower number comes first, and none of its items is meant.
  const auto first = changes_of(driver, "seeded", {}, 1000, "Some");
  REQUIRE(first);
  CHECK(first->items.empty());
  REQUIRE_FALSE(first->next.empty());
  const auto second = changes_of(driver, "seeded", first->next, 1000, "Some");
  REQUIRE(second);
  CHECK(second->items.size() == 3);
  CHECK(second->next.empty());
  CHECK_FALSE(changes_of(driver, "other"));
}

TEST_CASE("changes since a mark: a page has a bounded size", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  REQUIRE(driver.engine().set_mark("seeded") == MarkOutcome::Done);
  const std::string large = R"(,"a":{"S":")" + std::string(300'000, 'x') + R"("})";
  for (int key = 0; key < 10; ++key) test::put_many(driver, "Things", key, key + 1, large);
  std::string after;
  std::size_t items = 0;
  std::size_t pages = 0;
  do {
    const auto page = changes_of(driver, "seeded", after);
    REQUIRE(page);
    CHECK(page->items.size() <= 4);
    items += page->items.size();
    after = page->next;
    ++pages;
  } while (!after.empty());
  CHECK(items == 10);
  CHECK(pages == 3);
}

TEST_CASE("changes since a mark: the first of several marks counts", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  test::put_many(driver, "Things", 0, 1, R"(,"a":{"N":"0"})");
  for (int mark = 1; mark <= 3; ++mark) {
    REQUIRE(driver.engine().set_mark("mark" + std::to_string(mark)) == MarkOutcome::Done);
    test::put_many(driver, "Things", 0, 1, R"(,"a":{"N":")" + std::to_string(mark) + R"("})");
  }
  for (int mark = 1; mark <= 3; ++mark) {
    const auto told = changes_of(driver, "mark" + std::to_string(mark));
    REQUIRE(told);
    REQUIRE(told->items.size() == 1);
    CHECK(told->items.front().key_json == R"({"pk":{"S":"0"}})");
    CHECK(told->items.front().was_json ==
          R"({"a":{"N":")" + std::to_string(mark - 1) + R"("},"pk":{"S":"0"}})");
    CHECK(told->items.front().is_json == R"({"a":{"N":"3"},"pk":{"S":"0"}})");
  }
  // A mark that is forgotten leaves its values to the one before.
  REQUIRE(driver.engine().forget_mark("mark2") == MarkOutcome::Done);
  CHECK(changes_of(driver, "mark1")->items.size() == 1);
  CHECK(changes_of(driver, "mark3")->items.size() == 1);
}

}  // namespace
}  // namespace stator
