// Billed sizes: worked examples of the documentation and of measurements.
#include "protocol/item_size.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/attribute_value.h"
#include "protocol/json_reader.h"

namespace stator {
namespace {

std::size_t size_of(std::string json) {
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto item = decode_item(*node, Wording{}, arena);
  REQUIRE(item);
  return item_size_bytes(*item);
}

TEST_CASE("item_size: adds up items as the service bills them", "[protocol]") {
  struct Row {
    const char* item;
    std::size_t size_bytes;
  };
  const Row rows[] = {
      {R"({})", 0},
      {R"({"pk":{"S":"user#1"},"sk":{"S":"2025-07-01"},"n":{"N":"42"},"ok":{"BOOL":true}})", 26},
      {R"({"pk":{"S":"a"},"m":{"M":{"x":{"N":"1.5"},"l":{"L":[{"S":"ab"},{"NULL":true}]}}}})", 22},
      {"{\"pk\":{\"S\":\"\xE6\x9D\xB1\xE4\xBA\xAC\"}}", 8},
      {R"({"pk":{"S":"a"},"ss":{"SS":["ab","c"]},"ns":{"NS":["1","120"]},"b":{"B":"AQI="}})", 18},
      {R"({"pk":{"S":"a"},"l":{"L":[]},"m":{"M":{}}})", 11},
      {R"({"pk":{"S":"s1"},"sk":{"S":"1"},"gsiPk":{"S":"g"},"proj":{"S":"p"}})", 18},
      {R"({"b":{"BS":["AQI=","AA==",""]}})", 4},
      {R"({"l":{"L":[{"L":[{"L":[]}]}]}})", 12},
  };
  for (const Row& row : rows) {
    CAPTURE(row.item);
    CHECK(size_of(row.item) == row.size_bytes);
  }
  const std::string base =
      R"({"pk":{"S":"s1"},"sk":{"S":"1"},"gsiPk":{"S":"g"},"proj":{"S":"p"},"other":{"S":")" +
      std::string(3000, 'x') + R"("}})";
  CHECK(size_of(base) == 3023);
}

TEST_CASE("item_size: measures values without a name", "[protocol]") {
  CHECK(value_size_bytes(Value::null()) == 1);
  CHECK(value_size_bytes(Value::boolean(false)) == 1);
  CHECK(value_size_bytes(Value::string("")) == 0);
  CHECK(value_size_bytes(Value::binary("abc")) == 3);
  CHECK(value_size_bytes(Value::list({})) == 3);
  CHECK(value_size_bytes(Value::map({})) == 3);
}

}  // namespace
}  // namespace stator
