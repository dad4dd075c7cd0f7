#include "server/data/transfer/ion_text.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "server/data/formats/item_of.h"

namespace stator::data {
namespace {

std::string ion_of(std::string json) {
  Arena arena;
  const auto root = read_json(json, arena);
  REQUIRE(root);
  const auto item = item_of(*root, arena);
  REQUIRE(item);
  std::string text;
  append_ion_item(text, *item);
  return text;
}

}  // namespace

TEST_CASE("ion text: every type", "[server]") {
  CHECK(ion_of(R"({"Authors":{"SS":["B","A"]},"Flag":{"BOOL":false},"Id":{"N":"103"}})") ==
        R"({Authors:$dynamodb_SS::["A","B"],Flag:false,Id:103.})");
  CHECK(ion_of(R"({"a":{"NULL":true},"b":{"B":"AQI="},"c":{"BS":["AQ==","Ag=="]}})") ==
        "{a:null,b:{{AQI=}},c:$dynamodb_BS::[{{AQ==}},{{Ag==}}]}");
  CHECK(
      ion_of(
          R"({"l":{"L":[{"N":"1"},{"S":""},{"L":[]},{"M":{}}]},"m":{"M":{"x":{"BOOL":true}}}})") ==
      R"({l:[1.,"",[],{}],m:{x:true}})");
  CHECK(ion_of("{}") == "{}");
}

TEST_CASE("ion text: numbers are decimals", "[server]") {
  CHECK(ion_of(R"({"n":{"NS":["0","-1.50","1e3","0.001"]}})") ==
        "{n:$dynamodb_NS::[-1.5,0.,0.001,1000.]}");
  CHECK(ion_of(R"({"n":{"N":"99999999999999999999999999999999999999"}})") ==
        "{n:99999999999999999999999999999999999999.}");
}

TEST_CASE("ion text: strings and names are escaped", "[server]") {
  CHECK(ion_of(R"({"s":{"S":"\"q\" \\ 'a' \n\t\u0000\u007f ü"}})") ==
        "{s:\"\\\"q\\\" \\\\ 'a' \\n\\x09\\x00\\x7f ü\"}");
  CHECK(ion_of(R"({"null":{"N":"1"}})") == "{'null':1.}");
  CHECK(ion_of(R"({"nan":{"N":"1"}})") == "{'nan':1.}");
  CHECK(ion_of(R"({"true":{"N":"1"}})") == "{'true':1.}");
  CHECK(ion_of(R"({"nullable_1":{"N":"1"}})") == "{nullable_1:1.}");
  CHECK(ion_of(R"({"1a":{"N":"1"}})") == "{'1a':1.}");
  CHECK(ion_of(R"({"$10":{"N":"1"}})") == "{'$10':1.}");
  CHECK(ion_of(R"({"a b":{"N":"1"}})") == "{'a b':1.}");
  CHECK(ion_of(R"({"it's":{"N":"1"}})") == "{'it\\'s':1.}");
  CHECK(ion_of(R"({"ü":{"N":"1"}})") == "{'ü':1.}");
}

}  // namespace stator::data
