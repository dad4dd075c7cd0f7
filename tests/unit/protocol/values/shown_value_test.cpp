// protocol/values/shown_value.h: values and keys as people read them.
#include "protocol/values/shown_value.h"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/memory/arena.h"
#include "protocol/number/number.h"

namespace stator {
namespace {

Value number_of(std::string_view text, Arena& arena) {
  Number number;
  REQUIRE(parse_number(text, NumberRules::Current, number) == NumberError::None);
  return Value::number(encode_number(number, arena));
}

}  // namespace

TEST_CASE("shown value: a scalar as its owner writes it", "[values]") {
  Arena arena;
  constexpr std::size_t kAll = 100;
  CHECK(shown_value(number_of("2013", arena), kAll) == "2013");
  CHECK(shown_value(number_of("-0.50", arena), kAll) == "-0.5");
  CHECK(shown_value(Value::string("Jürgen"), kAll) == "\"Jürgen\"");
  CHECK(shown_value(Value::string(""), kAll) == "\"\"");
  CHECK(shown_value(Value::binary("hello"), kAll) == "B aGVsbG8=");
  CHECK(shown_value(Value::boolean(true), kAll) == "true");
  CHECK(shown_value(Value::null(), kAll) == "null");
}

TEST_CASE("shown value: a text cannot end its line or its quotes", "[values]") {
  CHECK(shown_value(Value::string("a\nb"), 100) == "\"a\\nb\"");
  CHECK(shown_value(Value::string("a\" b\\"), 100) == "\"a\\\" b\\\\\"");
  CHECK(shown_value(Value::string("\u202e"), 100) == "\"\\u202e\"");
}

TEST_CASE("shown value: what is long is cut at whole characters", "[values]") {
  CHECK(shown_value(Value::string("abcdef"), 6) == "\"abcdef\"");
  CHECK(shown_value(Value::string("abcdef"), 5) == "\"abcde…");
  CHECK(shown_value(Value::string("abcü"), 4) == "\"abc…");
  CHECK(shown_value(Value::binary("abcdefgh"), 7) == "B YWJjZGVm…");
  const std::array<Value, 2> elements = {Value::string("one"), Value::string("two")};
  CHECK(shown_value(Value::list(elements), 100) == R"({"L":[{"S":"one"},{"S":"two"}]})");
  CHECK(shown_value(Value::list(elements), 5) == "{\"L\":…");
}

TEST_CASE("shown key: one attribute, or several", "[values]") {
  Arena arena;
  CHECK(shown_key(number_of("7", arena), false) == "7");
  CHECK(shown_key(Value::string("ab"), true) == "\"ab…");
  const std::vector<Value> values = {number_of("2013", arena), Value::string("Jürgen")};
  CHECK(shown_key(Value::list(values), false) == "2013, \"Jürgen\"");
  CHECK(shown_key(Value::list(values), true) == "2013, \"Jürgen…");
  CHECK(shown_key(Value::list(std::span(values).first(1)), true) == "2013, …");
}

}  // namespace stator
