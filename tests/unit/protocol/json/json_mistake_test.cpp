#include "protocol/json/json_mistake.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"

namespace stator {
namespace {

// What is said of a text at the byte where the reader gives up.
std::string said(const std::string& text) {
  Arena arena;
  std::string copy = text;
  std::size_t error_at = 0;
  CHECK_FALSE(read_json(copy, arena, &error_at));
  return json_mistake_at(text, error_at);
}

}  // namespace

TEST_CASE("JSON mistakes: words of Python and JavaScript", "[protocol]") {
  CHECK(said(R"({"a": NaN})") == ", column 7: NaN is no number of JSON");
  CHECK(said(R"({"a": -Infinity})") == ", column 8: Infinity is no number of JSON");
  CHECK(said(R"({"a": None})") == ", column 7: None is null in JSON");
  CHECK(said(R"([True])") == ", column 2: True is true in JSON");
  CHECK(said(R"([False])") == ", column 2: False is false in JSON");
  CHECK(said("{'a': 1}") == ", column 2: texts and names are in double quotes");
  CHECK(said(R"({"a": 'b'})") == ", column 7: texts and names are in double quotes");
  CHECK(said("{a: 1}") == ", column 2: 'a' is not in double quotes");
}

TEST_CASE("JSON mistakes: commas, comments and ends", "[protocol]") {
  CHECK(said(R"({"a": 1,})") == ", column 9: no comma stands before }");
  CHECK(said("[1, ]") == ", column 5: no comma stands before ]");
  CHECK(said("[1,,2]") == ", column 4: a comma is one too many");
  CHECK(said("[1 // one\n]") == ", line 1, column 4: JSON has no comments");
  CHECK(said(R"({"a": 1)") == ", column 8: it ends too early");
  CHECK(said("") == ", column 1: it ends too early");
  CHECK(said("{\"a\": \"x\\ny\",\n \"b\": None}\n") == ", line 2, column 7: None is null in JSON");
  CHECK(said("{\"a\": 1}\n}") == ", line 2, column 1");
  CHECK(said("\xFF") == ", column 1");
}

}  // namespace stator
