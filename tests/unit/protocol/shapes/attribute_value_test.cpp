// Decoded attribute values; what is refused, and how, is in tests/cases/protocol/values.cases.
#include "protocol/shapes/attribute_value.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"

namespace stator {
namespace {

TEST_CASE("attribute_value: decodes every type to its bytes", "[protocol]") {
  std::string json =
      R"({"M":{"s":{"S":"x"},"n":{"N":"1"},"b":{"B":"AQI="},"ns":{"NS":["10","9"]},"l":{"L":[{"BOOL":"no"}]}}})";
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto value = decode_value(*node, Wording{}, arena);
  REQUIRE(value);
  REQUIRE(value->type() == Type::M);
  const Item item = value->members();
  CHECK(find_attribute(item, "s")->bytes() == "x");
  CHECK(find_attribute(item, "n")->bytes() == "\xC1\x02");
  CHECK(find_attribute(item, "b")->bytes() == "\x01\x02");
  const auto numbers = find_attribute(item, "ns")->set_elements();
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0] == "\xC1\x0A");
  CHECK(numbers[1] == "\xC1\x0B");
  CHECK_FALSE(find_attribute(item, "l")->elements()[0].truth());
}

}  // namespace
}  // namespace stator
