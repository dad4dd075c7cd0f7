#include "server/data/recognition/json_sample.h"

#include <string>
#include <utility>

#include <catch2/catch.hpp>

namespace stator::data {
namespace {

JsonSample sample_of(const std::string& text) {
  JsonSampler sampler;
  for (const char byte : text)
    if (!sampler.take(std::string_view(&byte, 1))) break;
  return std::move(sampler).finish();
}

}  // namespace

TEST_CASE("json sample: of arrays the first element", "[server]") {
  const JsonSample sample = sample_of(R"({"a": [{"x": [1, 2]}, {"y": [}]")"
                                      R"(]}], "b" : "c,]" } {)");
  CHECK(sample.is_broken);
  const JsonSample whole =
      sample_of("{\"a\": [{\"x\": [1, 2]},\n {\"y\": []}], \"b\" : \"c,]\" } {");
  CHECK(whole.text == R"({"a":[{"x":[1]}],"b":"c,]"})");
  CHECK(whole.is_whole);
  CHECK_FALSE(whole.is_broken);
  CHECK(whole.has_line_breaks);
  CHECK(whole.size_bytes == 48);
}

TEST_CASE("json sample: a cut object is closed after what is complete", "[server]") {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"{", "{}"},
      {R"({"a)", "{}"},
      {R"({"a":1)", "{}"},
      {R"({"a":1,)", R"({"a":1})"},
      {R"({"a":1,"b":{)", R"({"a":1,"b":{}})"},
      {R"({"a":[{"b":[1,2,{"c":)", R"({"a":[{"b":[1]}]})"},
      {R"({"a":["x\"]}",1],"b":"\\","c)", R"({"a":["x\"]}"],"b":"\\"})"},
  };
  for (const auto& [text, told] : cases) {
    INFO(text);
    const JsonSample sample = sample_of(text);
    CHECK(sample.text == told);
    CHECK_FALSE(sample.is_whole);
    CHECK_FALSE(sample.is_broken);
    CHECK_FALSE(sample.has_line_breaks);
  }
}

TEST_CASE("json sample: misplaced brackets", "[server]") {
  for (const std::string text : {"{]", "{[", "{\"a\":1,\n{", "{\"a\":[}", "{{", "}"}) {
    INFO(text);
    CHECK(sample_of(text).is_broken);
    CHECK_FALSE(sample_of(text).is_whole);
  }
}

}  // namespace stator::data
