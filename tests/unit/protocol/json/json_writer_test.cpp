// The reply writer: commas, escapes and numbers.
#include "protocol/json/json_writer.h"

#include <cstdint>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

template <class Write>
std::string written(Write write) {
  std::string out;
  JsonWriter writer(out);
  write(writer);
  return out;
}

TEST_CASE("json_writer: keeps the commas right in nested values", "[protocol]") {
  const std::string text = written([](JsonWriter& w) {
    w.begin_object();
    w.member("a", "x");
    w.member("b", true);
    w.member("c", std::int64_t{-7});
    w.key("d");
    w.begin_array();
    w.begin_object();
    w.end_object();
    w.null();
    w.raw(R"({"S":"y"})");
    w.begin_array();
    w.end_array();
    w.end_array();
    w.key("e");
    w.begin_object();
    w.member("f", std::string_view("g"));
    w.end_object();
    w.end_object();
  });
  CHECK(text == R"({"a":"x","b":true,"c":-7,"d":[{},null,{"S":"y"},[]],"e":{"f":"g"}})");
}

TEST_CASE("json_writer: fast paths join in behind before_value", "[protocol]") {
  const std::string text = written([](JsonWriter& w) {
    w.begin_array();
    w.boolean(false);
    w.before_value();
    w.out().append("1");
    w.integer(2);
    w.end_array();
  });
  CHECK(text == "[false,1,2]");
}

TEST_CASE("json_writer: escapes exactly the bytes JSON demands, at every place", "[protocol]") {
  const std::string hex = "0123456789abcdef";
  for (int byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    std::string escape(1, c);
    if (c == '"' || c == '\\') escape = std::string("\\") + c;
    if (byte < 0x20) {
      escape = std::string("\\u00") + hex[static_cast<std::size_t>(byte / 16)] +
               hex[static_cast<std::size_t>(byte % 16)];
    }
    if (c == '\n') escape = "\\n";
    if (c == '\t') escape = "\\t";
    if (c == '\r') escape = "\\r";
    if (c == '\b') escape = "\\b";
    if (c == '\f') escape = "\\f";
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t after = 0; after < 10; ++after) {
        std::string out;
        append_json_string(out, std::string(before, 'a') + c + std::string(after, 'z'));
        CAPTURE(byte, before, after);
        REQUIRE(out == '"' + std::string(before, 'a') + escape + std::string(after, 'z') + '"');
      }
    }
  }
}

TEST_CASE("json_writer: leaves UTF-8 and long plain text alone", "[protocol]") {
  for (const std::string& text :
       {std::string(), std::string(1000, 'q'), std::string("\xE6\x9D\xB1\xF0\x9F\x98\x80 \x7F"),
        std::string(33, '\xC3')}) {
    std::string out;
    append_json_string(out, text);
    CHECK(out == '"' + text + '"');
  }
}

TEST_CASE("json_writer: prints capacity units with a point", "[protocol]") {
  struct Row {
    double value;
    const char* text;
  };
  for (const Row& row :
       {Row{0.5, "0.5"}, Row{1, "1.0"}, Row{128.5, "128.5"}, Row{0, "0.0"}, Row{40000, "40000.0"},
        Row{1e15, "1000000000000000.0"}, Row{-2.5, "-2.5"}, Row{0.1, "0.1"}}) {
    CHECK(written([&](JsonWriter& w) { w.decimal(row.value); }) == row.text);
  }
}

TEST_CASE("json_writer: prints times in seconds with at most three decimals", "[protocol]") {
  struct Row {
    std::int64_t unix_ms;
    const char* text;
  };
  for (const Row& row : {Row{1763672400123, "1763672400.123"}, Row{1763672400120, "1763672400.12"},
                         Row{1763672400100, "1763672400.1"}, Row{1763672400000, "1763672400"},
                         Row{1763672400003, "1763672400.003"}, Row{0, "0"}, Row{7, "0.007"},
                         Row{-1, "-0.001"}, Row{-1500, "-1.5"},
                         Row{std::numeric_limits<std::int64_t>::min(), "-9223372036854775.808"}}) {
    CHECK(written([&](JsonWriter& w) { w.timestamp_ms(row.unix_ms); }) == row.text);
  }
}

TEST_CASE("json_writer: prints integers of every size", "[protocol]") {
  CHECK(written([](JsonWriter& w) { w.integer(std::numeric_limits<std::int64_t>::min()); }) ==
        "-9223372036854775808");
  CHECK(written([](JsonWriter& w) { w.integer(std::numeric_limits<std::int64_t>::max()); }) ==
        "9223372036854775807");
  CHECK(written([](JsonWriter& w) { w.integer(0); }) == "0");
}

}  // namespace
}  // namespace stator
