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
