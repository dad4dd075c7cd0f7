// Attribute values as plain JSON.
#include "server/cli/mcp/answers/plain_json.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator::mcp {
namespace {

std::string plain(std::string typed) {
  Arena arena;
  const auto node = read_json(typed, arena);
  REQUIRE(node);
  std::string text;
  append_plain_attributes(text, *node);
  return text;
}

TEST_CASE("mcp items: every type", "[server]") {
  CHECK(plain(R"({"s":{"S":"a\"b"},"n":{"N":"-1.5"},"b":{"B":"AQ=="},"y":{"BOOL":true},)"
              R"("z":{"NULL":true},"m":{"M":{"l":{"L":[{"N":"1"},{"M":{}},{"L":[]}]}}},)"
              R"("ss":{"SS":["a"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AQ=="]}})") ==
        R"({"s":"a\"b","n":-1.5,"b":"AQ==","y":true,"z":null,"m":{"l":[1,{},[]]},)"
        R"("ss":["a"],"ns":[1,2],"bs":["AQ=="]})");
  CHECK(plain("{}") == "{}");
}

TEST_CASE("mcp items: what is no attribute value stays", "[server]") {
  CHECK(plain(R"({"a":{"N":1},"b":7,"c":{"X":"x"},"d":{"S":"a","N":"1"},"e":{"M":[]}})") ==
        R"({"a":{"N":1},"b":7,"c":{"X":"x"},"d":{"S":"a","N":"1"},"e":{"M":[]}})");
}

TEST_CASE("mcp items: numbers lose no digit", "[server]") {
  for (const char* const text :
       {"0", "-0.5", "123456789012345", "1E+125", "1e-130", "1000000000000000000000",
        "0.000000000000000000000000000001", "12.50"})
    CHECK(is_exact_number(text));
  for (const char* const text :
       {"", "-", "1234567890123456", "0.1234567890123456", "1000000000000000000001", "01", ".5",
        "5.", "1e", "1x", "+1", "NaN"})
    CHECK_FALSE(is_exact_number(text));
  CHECK(plain(R"({"a":{"N":"12345678901234567890123456789012345678"}})") ==
        R"({"a":"12345678901234567890123456789012345678"})");
}

}  // namespace
}  // namespace stator::mcp
