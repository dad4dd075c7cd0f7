#include "server/cli/client/requests.h"

#include <catch2/catch.hpp>

#include "server/data/transfer/table_scan.h"

namespace stator::client {
namespace {

data::TableInfo songs() {
  data::TableInfo table;
  table.keys = {"pk", "at"};
  table.types = {{"pk", "S"}, {"at", "N"}, {"mark", "B"}, {"x", "S"}};
  table.indexes = {{"by_mark", false, {"mark"}, {"pk"}},
                   {"only_x", false, {"x"}, {}},
                   {"both", false, {"x", "mark"}, {"at"}}};
  return table;
}

std::string members_of(const RequestPlan& planned) {
  return planned ? planned->members : planned.error();
}

SortCondition condition_of(std::string_view text) {
  const auto read = read_sort_condition(text);
  REQUIRE(read);
  return *read;
}

}  // namespace

TEST_CASE("client requests: get and delete have the key with its types", "[server]") {
  const RequestPlan get = get_request("T", songs(), {"a", "5"}, {.is_consistent = true});
  CHECK(members_of(get) ==
        R"("TableName":"T","Key":{"pk":{"S":"a"},"at":{"N":"5"}},"ConsistentRead":true)");
  CHECK(get->operation == "GetItem");
  CHECK(members_of(delete_request("T", songs(), {"a", "5"}, {.wants_units = true})) ==
        R"("TableName":"T","Key":{"pk":{"S":"a"},"at":{"N":"5"}},)"
        R"("ReturnConsumedCapacity":"TOTAL")");
}

TEST_CASE("client requests: keys that do not fit the table", "[server]") {
  CHECK(members_of(get_request("T", songs(), {"a", {}}, {})) ==
        "table 'T' has the sort key 'at', its value is missing");
  CHECK(members_of(get_request("T", songs(), {"a", "b"}, {})) ==
        "key 'at' is of type N, and 'b' is not a number");
  data::TableInfo simple = songs();
  simple.keys = {"pk"};
  CHECK(members_of(get_request("T", simple, {"a", "b"}, {})) ==
        "table 'T' has no sort key, 'b' is too much");
}

TEST_CASE("client requests: a query of the table and of an index", "[server]") {
  CHECK(members_of(query_request("T", songs(), {.partition = "a"}, {})) ==
        R"("TableName":"T","KeyConditionExpression":"#p = :p",)"
        R"("ExpressionAttributeNames":{"#p":"pk"},)"
        R"("ExpressionAttributeValues":{":p":{"S":"a"}})");
  CHECK(members_of(query_request(
            "T", songs(),
            {.partition = "a", .sort = condition_of("between 1 9"), .is_descending = true}, {})) ==
        R"("TableName":"T","KeyConditionExpression":"#p = :p AND #s BETWEEN :s AND :t",)"
        R"("ExpressionAttributeNames":{"#p":"pk","#s":"at"},)"
        R"("ExpressionAttributeValues":{":p":{"S":"a"},":s":{"N":"1"},":t":{"N":"9"}},)"
        R"("ScanIndexForward":false)");
  CHECK(members_of(query_request(
            "T", songs(),
            {.partition = "AQI=", .sort = condition_of("begins_with a"), .index = "by_mark"},
            {})) == R"("TableName":"T","IndexName":"by_mark",)"
                    R"x("KeyConditionExpression":"#p = :p AND begins_with(#s, :s)",)x"
                    R"("ExpressionAttributeNames":{"#p":"mark","#s":"pk"},)"
                    R"("ExpressionAttributeValues":{":p":{"B":"AQI="},":s":{"S":"a"}})");
}

TEST_CASE("client requests: queries that do not fit", "[server]") {
  const auto error = [](const QueryWords& words) {
    return members_of(query_request("T", songs(), words, {}));
  };
  CHECK(error({.partition = "a", .sort = condition_of("begins_with 1")}) ==
        "key 'at' is of type N, and begins_with is for S and B");
  CHECK(error({.partition = "a", .sort = condition_of("between 1 b")}) ==
        "key 'at' is of type N, and 'b' is not a number");
  CHECK(error({.partition = "a", .sort = condition_of("= 1"), .index = "only_x"}) ==
        "index 'only_x' has no sort key for --sk");
  CHECK(error({.partition = "a", .index = "none"}) ==
        "table 'T' has no index 'none', it has by_mark, only_x, both");
  CHECK(error({.partition = "a", .index = "both"}) ==
        "index 'both' has 2 partition keys; stator sql can name them all");
}

TEST_CASE("client requests: a limit passes only if it means the same", "[server]") {
  const auto filter = read_filter("n = 1");
  REQUIRE(filter);
  const Request filtered = scan_request("T", *filter, {});
  CHECK(filtered.members ==
        R"("TableName":"T","FilterExpression":"#n0 = :v0","ExpressionAttributeNames":{"#n0":"n"},)"
        R"("ExpressionAttributeValues":{":v0":{"N":"1"}})");
  CHECK_FALSE(filtered.passes_limit);
  const Request whole = scan_request("T", {}, {});
  CHECK(whole.passes_limit);
  CHECK(whole.page_items == data::kScanPageItems);
  CHECK_FALSE(sql_request("SELECT * FROM T", {}).passes_limit);
}

TEST_CASE("client requests: an index's keys follow the table's", "[server]") {
  CHECK(leading_attributes(songs(), "") == std::vector<std::string>{"pk", "at"});
  CHECK(leading_attributes(songs(), "by_mark") == std::vector<std::string>{"pk", "at", "mark"});
}

}  // namespace stator::client
