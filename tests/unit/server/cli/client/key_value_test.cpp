#include "server/cli/client/key_value.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"

namespace stator::client {
namespace {

std::string value_text(const char* type, std::string_view word) {
  const auto value = key_value({"id", type}, word);
  return value ? *value : value.error();
}

std::string item_text(std::string json, const data::TableInfo& table) {
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto item = plain_item(*node, table);
  return item ? *item : item.error();
}

data::TableInfo table_of(const char* partition_type, const char* sort_type) {
  data::TableInfo table;
  table.keys = {"id", "at"};
  table.types = {{"id", partition_type}, {"at", sort_type}, {"mark", "B"}, {"rank", "N"}};
  return table;
}

}  // namespace

TEST_CASE("key value: a word has the key's type", "[server]") {
  CHECK(value_text("S", "7") == R"({"S":"7"})");
  CHECK(value_text("S", "a \"b\" \\") == R"({"S":"a \"b\" \\"})");
  CHECK(value_text("S", "") == R"({"S":""})");
  CHECK(value_text("N", "007.50") == R"({"N":"007.50"})");
  CHECK(value_text("N", "12345678901234567890123456789012345678") ==
        R"({"N":"12345678901234567890123456789012345678"})");
  CHECK(value_text("N", "-1e-5") == R"({"N":"-1e-5"})");
  CHECK(value_text("B", "AQI=") == R"({"B":"AQI="})");
}

TEST_CASE("key value: a wrong type names the key and its type", "[server]") {
  CHECK(value_text("N", "abc") == "key 'id' is of type N, and 'abc' is not a number");
  CHECK(value_text("N", "") == "key 'id' is of type N, and '' is not a number");
  CHECK(value_text("N", "123456789012345678901234567890123456789") ==
        "key 'id' is of type N, and '123456789012345678901234567890123456789' is not a number");
  CHECK(value_text("B", "AQI") == "key 'id' is of type B, and 'AQI' is not Base64");
  CHECK(value_text("S", "\xFF") == "key 'id' is of type S, and '\xFF' is not UTF-8");
}

TEST_CASE("plain item: keys have the table's types, the rest those of JSON", "[server]") {
  CHECK(item_text(R"({"id":"7","at":12345678901234567890123456789012345678,"b":true,"n":1.50,)"
                  R"("l":[null,"x",{"m":1e3}]})",
                  table_of("S", "N")) ==
        R"({"id":{"S":"7"},"at":{"N":"12345678901234567890123456789012345678"},)"
        R"("b":{"BOOL":true},"n":{"N":"1.50"},)"
        R"("l":{"L":[{"NULL":true},{"S":"x"},{"M":{"m":{"N":"1e3"}}}]}})");
  CHECK(item_text(R"({"id":"AQI=","at":"x"})", table_of("B", "S")) ==
        R"({"id":{"B":"AQI="},"at":{"S":"x"}})");
  CHECK(item_text("{}", table_of("S", "S")) == "{}");
}

TEST_CASE("plain item: the keys of indexes", "[server]") {
  CHECK(item_text(R"({"mark":"AQI=","rank":5})", table_of("S", "S")) ==
        R"({"mark":{"B":"AQI="},"rank":{"N":"5"}})");
  // The service decides.
  CHECK(item_text(R"({"mark":"not Base64","rank":"5"})", table_of("S", "S")) ==
        R"({"mark":{"S":"not Base64"},"rank":{"S":"5"}})");
}

TEST_CASE("plain item: a wrong type names the key and its type", "[server]") {
  CHECK(item_text(R"({"id":"7"})", table_of("N", "S")) ==
        R"(key 'id' is of type N, and "7" is not a number)");
  CHECK(item_text(R"({"id":7})", table_of("S", "S")) ==
        "key 'id' is of type S, and 7 is not a string");
  CHECK(item_text(R"({"id":"?"})", table_of("B", "S")) ==
        R"(key 'id' is of type B, and "?" is not Base64)");
  CHECK(item_text(R"({"at":null})", table_of("S", "S")) ==
        "key 'at' is of type S, and null is not a string");
  CHECK(item_text(R"({"id":{"S":"7"}})", table_of("S", "S")) ==
        R"(key 'id' is of type S, and {"S":"7"} is not a string; --typed reads DynamoDB JSON)");
}

}  // namespace stator::client
