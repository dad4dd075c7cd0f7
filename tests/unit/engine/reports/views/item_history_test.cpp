#include "engine/reports/views/item_history.h"

#include "tests/unit/engine/reports/views/view_driver.h"

namespace stator {
namespace {

constexpr int kEntriesMax = static_cast<int>(kHistoryEntriesMax);

ItemHistory history_of(test::EngineDriver& driver, std::string_view key, std::uint64_t from = 0) {
  return test::view_of<ItemHistory>(driver.engine(), [&](const Snapshot& snapshot) {
    const Table* const table = TableView(snapshot).find("us-east-1", "Things");
    REQUIRE(table != nullptr);
    const Member member{"pk", Value::string(key)};
    test::Patience patience;
    return item_history(snapshot, *table, Item(&member, 1), from, 1000, patience);
  });
}

TEST_CASE("history of an item: a page reads a bounded number of changes", "[engine]") {
  test::EngineDriver driver;
  test::require_ok(driver, "CreateTable",
                   R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST",)"
                   R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                   R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
                   R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})");
  test::put_many(driver, "Things", 0, kEntriesMax, "");
  test::put_many(driver, "Things", kEntriesMax, kEntriesMax + 1, "");
  const std::string last = std::to_string(kEntriesMax);
  const ItemHistory first = history_of(driver, last);
  CHECK(first.entries.empty());
  CHECK(first.kept_by == std::vector<std::string_view>{"stream"});
  REQUIRE(first.next);
  const ItemHistory second = history_of(driver, last, *first.next);
  REQUIRE(second.entries.size() == 1);
  CHECK_FALSE(second.next);
  // Both images, whatever the stream shows of them.
  test::put_many(driver, "Things", kEntriesMax, kEntriesMax + 1, R"(,"a":{"S":"b"})");
  const ItemHistory third = history_of(driver, last, *first.next);
  REQUIRE(third.entries.size() == 2);
  CHECK(third.entries[1].old_json == R"({"pk":{"S":")" + last + R"("}})");
  CHECK(third.entries[1].new_json == R"({"a":{"S":"b"},"pk":{"S":")" + last + R"("}})");
  CHECK(third.entries[1].by == "client");
}

}  // namespace
}  // namespace stator
