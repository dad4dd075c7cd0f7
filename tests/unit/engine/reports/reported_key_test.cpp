// engine/reports/reported_key.h: bytes of keys made into values and texts.
#include "engine/reports/reported_key.h"

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/keys/tuple_key.h"
#include "protocol/number/number.h"

namespace stator {
namespace {

std::string ordered(std::string_view text) {
  Arena arena;
  Number number;
  REQUIRE(parse_number(text, NumberRules::Current, number) == NumberError::None);
  return std::string(encode_number(number, arena));
}

std::string tuple(std::initializer_list<std::string> elements) {
  std::string bytes;
  for (const std::string& element : elements) append_tuple_element(bytes, element);
  return bytes;
}

// As a KeySketch stores it.
std::string stored(const std::string& bytes) { return bytes.substr(0, 65); }

constexpr std::array kNumber = {Type::N};
constexpr std::array kString = {Type::S};
constexpr std::array kBinary = {Type::B};
constexpr std::array kThree = {Type::N, Type::S, Type::B};

}  // namespace

TEST_CASE("reported key: one attribute of each type", "[throttling]") {
  CHECK(shown_partition_key(kNumber, ordered("2013")) == "2013");
  CHECK(shown_partition_key(kNumber, ordered("-1.5")) == "-1.5");
  CHECK(shown_partition_key(kString, "Jürgen") == "\"Jürgen\"");
  CHECK(shown_partition_key(kBinary, std::string("\0\1", 2)) == "B AAE=");
}

TEST_CASE("reported key: a long one is cut, one of 64 bytes is not", "[throttling]") {
  const std::string whole(64, 'a');
  CHECK(shown_partition_key(kString, stored(whole)) == "\"" + whole + "\"");
  CHECK(shown_partition_key(kString, stored(whole + "b")) == "\"" + whole + "…");
  CHECK(shown_partition_key(kString, stored(std::string(63, 'a') + "ü")) ==
        "\"" + std::string(63, 'a') + "…");
}

TEST_CASE("reported key: several attributes, with zeros inside", "[throttling]") {
  const std::string zeros("\0x\0", 3);
  CHECK(shown_partition_key(kThree, tuple({ordered("7"), "a, b", zeros})) == "7, \"a, b\", B AHgA");
}

TEST_CASE("reported key: several attributes that are cut", "[throttling]") {
  const std::string seven = ordered("7");
  const std::string cut =
      shown_partition_key(kThree, stored(tuple({seven, std::string(70, 'a'), "b"})));
  CHECK(cut.starts_with("7, \"aaa"));
  CHECK(cut.ends_with("a…"));
  constexpr std::array kTextFirst = {Type::S, Type::N};
  // The number is cut within its bytes, so it is left out.
  CHECK(shown_partition_key(kTextFirst,
                            stored(tuple({std::string(60, 'a'), ordered("123456789")}))) ==
        "\"" + std::string(60, 'a') + "…");
}

TEST_CASE("reported key: the value of several attributes is a list", "[throttling]") {
  Arena arena;
  const ReportedKey key = reported_partition_key(kThree, tuple({ordered("7"), "a", "b"}), arena);
  std::string json;
  append_value_json(json, key.value);
  CHECK(json == R"({"L":[{"N":"7"},{"S":"a"},{"B":"Yg=="}]})");
  CHECK_FALSE(key.is_cut);
}

}  // namespace stator
