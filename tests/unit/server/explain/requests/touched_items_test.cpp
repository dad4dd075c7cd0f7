#include "server/explain/requests/touched_items.h"

#include <memory>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace stator;

namespace {

const Table* find_orders(std::string_view name) {
  static const Table orders = [] {
    Table table;
    table.partition_key = {"pk", Type::S};
    table.sort_key = KeyAttribute{"sk", Type::N};
    return table;
  }();
  return name == "orders" ? &orders : nullptr;
}

std::vector<TouchedItem> items_of(std::string_view body, std::size_t whole_bytes = 0) {
  const auto request = std::make_unique<RecentRequest>();
  request->clear_texts();
  request->set(RecentRequest::Part::Asked, body, whole_bytes > 0 ? whole_bytes : body.size());
  return touched_items(*request, find_orders);
}

}  // namespace

TEST_CASE("touched items: of a request to one item", "[server]") {
  const auto put =
      items_of(R"({"TableName":"orders","Item":{"a":{"N":"1"},"sk":{"N":"1.0"},"pk":{"S":"x"}}})");
  REQUIRE(put.size() == 1);
  CHECK(put[0].table == "orders");
  CHECK(put[0].key_json == R"({"pk":{"S":"x"},"sk":{"N":"1"}})");
  const auto get = items_of(R"({"Key":{"pk":{"S":"x"},"sk":{"N":"1"}},"TableName":"orders"})");
  REQUIRE(get.size() == 1);
  CHECK(get[0].key_json == put[0].key_json);
}

TEST_CASE("touched items: each action of a transaction has its place", "[server]") {
  const auto items =
      items_of(R"({"TransactItems":[{"Put":{"TableName":"gone","Item":{"pk":{"S":"x"}}}},)"
               R"({"Delete":{"TableName":"orders","Key":{"pk":{"S":"x"},"sk":{"N":"2"}}}},{}]})");
  REQUIRE(items.size() == 3);
  CHECK(items[0].key_json.empty());
  CHECK(items[1].key_json == R"({"pk":{"S":"x"},"sk":{"N":"2"}})");
  CHECK(items[2].table.empty());
}

TEST_CASE("touched items: of a cut body those that are whole", "[server]") {
  const std::string_view body =
      R"({"TransactItems":[{"Delete":{"TableName":"orders","Key":{"pk":{"S":"x"},"sk":{"N":"2"}}}},)"
      R"({"Delete":{"TableName":"orders","Key":{"pk":{"S":"y"},"s)";
  const auto items = items_of(body, 5'000);
  REQUIRE(!items.empty());
  CHECK(items[0].key_json == R"({"pk":{"S":"x"},"sk":{"N":"2"}})");
  for (std::size_t i = 1; i < items.size(); ++i) CHECK(items[i].key_json.empty());
}

TEST_CASE("touched items: what is no request to an item has none", "[server]") {
  for (const char* body : {"", "[]", "{}", "{\"TransactItems\":5}", R"({"TableName":"orders"})",
                           R"({"TableName":"orders","Key":{"pk":{"S":"x"}}})",
                           R"({"TableName":"orders","Key":{"pk":"x"}})"}) {
    INFO(body);
    CHECK(items_of(body).empty());
  }
}

TEST_CASE("touched items: of a batch", "[server]") {
  const auto read = items_of(
      R"({"RequestItems":{"orders":{"Keys":[{"pk":{"S":"x"},"sk":{"N":"1"}},{"pk":{"S":"y"}}]},)"
      R"("gone":{"Keys":[{"pk":{"S":"x"}}]}}})");
  REQUIRE(read.size() == 3);
  CHECK(read[0].key_json == R"({"pk":{"S":"x"},"sk":{"N":"1"}})");
  CHECK((read[1].key_json.empty() && read[2].key_json.empty()));
  const auto written =
      items_of(R"({"RequestItems":{"orders":[)"
               R"({"PutRequest":{"Item":{"pk":{"S":"x"},"sk":{"N":"1"},"a":{"S":"12345"}}}},)"
               R"({"DeleteRequest":{"Key":{"sk":{"N":"2"},"pk":{"S":"y"}}}},7]}})");
  REQUIRE(written.size() == 2);
  CHECK(written[0].key_json == read[0].key_json);
  CHECK(written[0].size_bytes == 3 + 4 + 6);
  CHECK(written[1].key_json == R"({"pk":{"S":"y"},"sk":{"N":"2"}})");
  CHECK_FALSE(written[1].size_bytes);
  for (const std::string_view wrong : {"[]", R"({"RequestItems":7})", R"({"RequestItems":{"a":7}})",
                                       R"({"RequestItems":{"a":{"Keys":{}}}})"})
    CHECK(items_of(wrong).empty());
}

TEST_CASE("touched items: the size of an item is known if its request has it whole", "[server]") {
  const std::string_view put =
      R"({"TableName":"orders","Item":{"sk":{"N":"1"},"pk":{"S":"x"},"a":{"S":"12345"}}})";
  REQUIRE(items_of(put).size() == 1);
  CHECK(items_of(put)[0].size_bytes == 3 + 4 + 6);
  REQUIRE(items_of(put, 5'000).size() == 1);
  CHECK_FALSE(items_of(put, 5'000)[0].size_bytes);
}
