// Arguments against a schema.
#include "server/cli/mcp/tools/argument_check.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/text/utf8.h"

namespace stator::mcp {
namespace {

std::string mistake(std::string arguments) {
  std::string schema =
      R"({"type":"object","properties":{"s":{"type":"string"},"k":{"type":["string","number"]},)"
      R"("i":{"type":"integer","minimum":1,"maximum":9},"e":{"type":"string","enum":["a","b"]},)"
      R"("l":{"type":"array","maxItems":2},"o":{"type":"object"},"b":{"type":"boolean"}},)"
      R"("required":["s"],"additionalProperties":false})";
  Arena arena;
  const auto read_schema = read_json(schema, arena);
  const auto read = read_json(arguments, arena);
  REQUIRE(read_schema);
  REQUIRE(read);
  return find_mistake(*read_schema, *read).value_or("");
}

TEST_CASE("mcp arguments: what fits", "[server]") {
  CHECK(mistake(R"({"s":""})").empty());
  CHECK(mistake(R"({"s":"x","k":1.5,"i":9,"e":"b","l":[1,2],"o":{},"b":false})").empty());
  CHECK(mistake(R"({"s":"x","k":"1","i":null})").empty());
}

TEST_CASE("mcp arguments: every mistake has its words", "[server]") {
  CHECK(mistake("{}") == "s is missing");
  CHECK(mistake(R"({"s":null})") == "s is missing");
  CHECK(mistake(R"({"s":7})") == "s is no string");
  CHECK(mistake(R"({"s":"x","k":true})") == "k is no string or number");
  CHECK(mistake(R"({"s":"x","i":1.5})") == "i is no integer");
  CHECK(mistake(R"({"s":"x","i":0})") == "i is too small or too large");
  CHECK(mistake(R"({"s":"x","i":10})") == "i is too small or too large");
  CHECK(mistake(R"({"s":"x","e":"c"})") == "e is none of a, b");
  CHECK(mistake(R"({"s":"x","l":[1,2,3]})") == "l has more than 2 elements");
  CHECK(mistake(R"({"s":"x","o":[]})") == "o is no object");
  CHECK(mistake(R"({"s":"x","b":"true"})") == "b is no boolean");
  CHECK(mistake(R"({"s":"x","z":1})") == "there is no argument 'z'");
}

TEST_CASE("mcp arguments: a text is cut between characters", "[server]") {
  CHECK(utf8_prefix("abc", 3) == "abc");
  CHECK(utf8_prefix("abc", 2) == "ab");
  CHECK(utf8_prefix("a\xc3\xbc", 2) == "a");
  CHECK(utf8_prefix("\xc3\xbc", 1).empty());
}

}  // namespace
}  // namespace stator::mcp
