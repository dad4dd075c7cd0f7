// server/explain/requests/cut_json.h: JSON that was cut after its beginning.
#include "server/explain/requests/cut_json.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator {
namespace {

TEST_CASE("cut json: what is whole stays, what is open is closed", "[server]") {
  CHECK(closed_json("") == "");
  CHECK(closed_json(R"({"a":1})") == R"({"a":1})");
  CHECK(closed_json(R"({"a":{"b":[1,2,{"c":"x}]"},"d)") == R"({"a":{"b":[1,2,{"c":"x}]"}]}})");
  CHECK(closed_json(R"({"a":"b\"},","c":"cut)") == R"({"a":"b\"},"})");
  CHECK(closed_json(R"({"a":"cut)") == "{}");
  CHECK(closed_json(R"([[1],[2)") == "[[1],[]]");
  CHECK(closed_json("}]x") == "");
  const std::string whole = R"({"T":"t","I":{"pk":{"S":"a\\"},"l":[{"N":"1"},null,true]},"x":[]})";
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    std::string text = closed_json(std::string_view(whole).substr(0, size));
    Arena arena;
    INFO(text);
    CHECK(read_json(text, arena));
  }
}

}  // namespace
}  // namespace stator
