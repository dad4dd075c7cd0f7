// Values: names of types, equality and lookup.
#include "protocol/values/value.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

// Owns what a decoded item refers to.
struct Decoded {
  explicit Decoded(std::string text) : body(std::move(text)) {
    const auto node = read_json(body, arena);
    REQUIRE(node);
    const auto decoded = decode_item(*node, Wording{}, arena);
    REQUIRE(decoded);
    item = *decoded;
  }
  std::string body;
  Arena arena;
  Item item;
};

TEST_CASE("value: has the names of the wire", "[protocol]") {
  const char* const names[] = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"};
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(type_name(static_cast<Type>(i)) == names[i]);
    CHECK(find_type(names[i]) == static_cast<Type>(i));
  }
  for (const char* name : {"", "s", "X", "SX", "LS", "MS", "SSS", "BOO", "NUL", "bool", "BOOLS"}) {
    CHECK_FALSE(find_type(name).has_value());
  }
  CHECK(is_set(Type::NS));
  CHECK_FALSE(is_set(Type::L));
  CHECK(is_key_type(Type::B));
  CHECK_FALSE(is_key_type(Type::Bool));
}

TEST_CASE("value: equality is that of the values, not of their spelling", "[protocol]") {
  // Members of one item, by first letter: equal within a letter, different between letters.
  const Decoded decoded(R"({
    "a1":{"N":"1"},"a2":{"N":"1.0"},
    "b1":{"SS":["x","y"]},"b2":{"SS":["y","x"]},
    "c1":{"M":{"p":{"S":"q"},"r":{"N":"10"}}},"c2":{"M":{"r":{"N":"1e1"},"p":{"S":"q"}}},
    "d1":{"L":[{"S":"x"},{"S":"y"}]},"d2":{"L":[{"S":"x"},{"S":"y"}]},
    "e1":{"L":[{"S":"y"},{"S":"x"}]},
    "f1":{"S":"1"},"g1":{"B":"MQ=="},"h1":{"BOOL":true},"i1":{"BOOL":false},"j1":{"NULL":true},
    "k1":{"NS":["1","2"]},"k2":{"NS":["2.0","1"]},"l1":{"BS":["AA=="]},"m1":{"BS":["AA==","AQ=="]},
    "n1":{"M":{}},"o1":{"L":[]},"p1":{"M":{"p":{"S":"q"}}},"q1":{"S":""},"r1":{"B":""},
    "s1":{"M":{"p":{"S":"z"},"r":{"N":"10"}}},"t1":{"M":{"P":{"S":"q"},"r":{"N":"10"}}},
    "u1":{"SS":["x"]}})");
  REQUIRE(decoded.item.size() == 26);
  for (const Member& a : decoded.item) {
    for (const Member& b : decoded.item) {
      CAPTURE(std::string(a.name), std::string(b.name));
      CHECK((a.value == b.value) == (a.name[0] == b.name[0]));
    }
  }
}

TEST_CASE("value: finds attributes by name", "[protocol]") {
  const Decoded decoded(R"({"b":{"S":"2"},"a":{"S":"1"},"bb":{"S":"3"},"B":{"S":"4"}})");
  for (const char* name : {"a", "b", "bb", "B"}) {
    REQUIRE(find_attribute(decoded.item, name) != nullptr);
  }
  CHECK(find_attribute(decoded.item, "bb")->bytes() == "3");
  for (const char* name : {"", "A", "c", "bbb", "ab"}) {
    CHECK(find_attribute(decoded.item, name) == nullptr);
  }
  CHECK(find_attribute({}, "a") == nullptr);
}

TEST_CASE("value: a value without contents is null", "[protocol]") {
  CHECK(Value().type() == Type::Null);
  CHECK(Value::boolean(true).truth());
  CHECK_FALSE(Value::boolean(false).truth());
  CHECK(Value::scalar(Type::B, "x") == Value::binary("x"));
}

}  // namespace
}  // namespace stator
