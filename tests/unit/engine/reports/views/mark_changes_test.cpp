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

TEST_CASE("changes since a mark: items with long sort keys, one a page", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Short"));
  test::require_ok(driver, "CreateTable",
                   R"({"TableName":"Long","BillingMode":"PAY_PER_REQUEST",)"
                   R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
                   R"({"AttributeName":"a","AttributeType":"S"}],)"
                   R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
                   R"({"AttributeName":"a","KeyType":"RANGE"}]})");
  REQUIRE(driver.engine().set_mark("seeded") == MarkOutcome::Done);
  test::put_many(driver, "Short", 0, 1, "");
  for (const std::size_t length : {5U, 490U, 600U, 1000U})
    test::put_many(driver, "Long", 0, 1, R"(,"a":{"S":")" + std::string(length, 'x') + R"("})");
  std::string after;
  std::size_t items = 0;
  do {
    const auto page = changes_of(driver, "seeded", after, 1);
    REQUIRE(page);
    for (const auto& item : page->items) {
      CHECK_FALSE(item.was_json);
      CHECK(item.key_json.find(R"("pk":{"S":"0"})") != std::string::npos);
    }
    items += page->items.size();
    after = page->next;
  } while (!after.empty());
  CHECK(items == 5);
}

TEST_CASE("figures of marks: what is counted is bounded", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable", test::hash_table("Things"));
  for (const char* const mark : {"first", "second"})
    REQUIRE(driver.engine().set_mark(mark) == MarkOutcome::Done);
  const auto figures = [&] {
    return test::view_of<std::vector<MarkFigures>>(driver.engine(), [](const Snapshot& snapshot) {
      test::Patience patience;
      return mark_figures(snapshot, Isolation::Region, patience);
    });
  };
  test::put_many(driver, "Things", 0, 10, "");
  auto marks = figures();
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].records == 0);
  CHECK(marks[1].records > 10);
  for (const MarkFigures& mark : marks) {
    REQUIRE(mark.tables.size() == 1);
    CHECK(mark.tables.front().label.table == "Things");
    CHECK(mark.tables.front().put == 10);
    CHECK_FALSE(mark.has_more);
  }
  test::put_many(driver, "Things", 0, kRecordsMax + 10, "");
  marks = figures();
  CHECK(marks[0].has_more);
  CHECK(marks[1].has_more);
  CHECK(marks[1].records == kMarkRecordsMax);
}

}  // namespace
}  // namespace stator
