#include "server/cli/client/filter_text.h"

#include <catch2/catch.hpp>

namespace stator::client {
namespace {

FilterParts parts_of(std::string_view text) {
  const auto read = read_filter(text);
  REQUIRE(read);
  return *read;
}

std::string error_of(std::string_view text) {
  const auto read = read_filter(text);
  return read ? "read" : read.error();
}

}  // namespace

TEST_CASE("filter: values and names become placeholders", "[server]") {
  const FilterParts parts = parts_of(R"(year > 1990 AND begins_with(title, "A ""b"""))");
  CHECK(parts.expression == "#n0 > :v0 AND begins_with(#n1, :v1)");
  CHECK(parts.names == R"({"#n0":"year","#n1":"title"})");
  CHECK(parts.values == R"({":v0":{"N":"1990"},":v1":{"S":"A \"b\""}})");
}

TEST_CASE("filter: a name has one placeholder", "[server]") {
  const FilterParts parts =
      parts_of("size(a) < 2 or a = 'it''s' or NOT a in (-1.5e+3, true, null)");
  CHECK(parts.expression == "size(#n0) < :v0 or #n0 = :v1 or NOT #n0 in (:v2, :v3, :v4)");
  CHECK(parts.names == R"({"#n0":"a"})");
  CHECK(parts.values == R"({":v0":{"N":"2"},":v1":{"S":"it's"},":v2":{"N":"-1.5e+3"},)"
                        R"(":v3":{"BOOL":true},":v4":{"NULL":true}})");
}

TEST_CASE("filter: paths, indexes of lists, odd names", "[server]") {
  const FilterParts parts = parts_of("a.size[12].`b-c`.true = 38 AND attribute_exists(`x.y`)");
  CHECK(parts.expression == "#n0.#n1[12].#n2.#n3 = :v0 AND attribute_exists(#n4)");
  CHECK(parts.names == R"({"#n0":"a","#n1":"size","#n2":"b-c","#n3":"true","#n4":"x.y"})");
}

TEST_CASE("filter: without values or names there are none", "[server]") {
  const FilterParts parts = parts_of("attribute_exists(größe)");
  CHECK(parts.names == "{\"#n0\":\"größe\"}");
  CHECK(parts.values.empty());
  CHECK(parts_of("1 = 1").names.empty());
}

TEST_CASE("filter: what it does not know stays for the service", "[server]") {
  CHECK(parts_of("a == 1 ;").expression == "#n0 == :v0 ;");
  CHECK(parts_of("a[").expression == "#n0[");
  CHECK(parts_of("-").expression == "-");
  CHECK(error_of("a = 'x") == "a ' has no end");
  CHECK(error_of("`a") == "a ` has no end");
}

}  // namespace stator::client
