#include "server/data/recognition/utf16.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/data/formats/text_source.h"

namespace stator::data {
namespace {

using Order = Utf16Decoder::Order;
using namespace std::string_literals;

// Of units below 0x100.
std::string as_utf16(const std::string& text, Order order) {
  std::string units = order == Order::BigEnd ? "\xFE\xFF" : "\xFF\xFE";
  for (const char byte : text) {
    if (order == Order::BigEnd) units += '\0';
    units += byte;
    if (order == Order::LittleEnd) units += '\0';
  }
  return units;
}

}  // namespace

TEST_CASE("utf16: characters of each length, byte by byte", "[server]") {
  const std::string little = "a\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE"s;
  const std::string big = "\0a\0\xE9\x20\xAC\xD8\x3D\xDE\x00"s;
  for (const bool is_big : {false, true}) {
    Utf16Decoder decoder{is_big ? Order::BigEnd : Order::LittleEnd};
    std::string text;
    for (const char byte : is_big ? big : little)
      CHECK(decoder.append(text, std::string_view(&byte, 1)));
    CHECK(text == "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CHECK(decoder.is_complete());
  }
}

TEST_CASE("utf16: what is none", "[server]") {
  for (const std::string& units : {"\xD8\x3D\0a"s, "\xDE\0"s, "\xD8\x3D\xD8\x3D"s}) {
    Utf16Decoder decoder{Order::BigEnd};
    std::string text;
    CHECK_FALSE(decoder.append(text, units));
  }
  for (const std::string& units : {"\0"s, "\xD8\x3D"s, "\xD8\x3D\xDE"s}) {
    Utf16Decoder decoder{Order::BigEnd};
    std::string text;
    CHECK(decoder.append(text, units));
    CHECK_FALSE(decoder.is_complete());
  }
}

TEST_CASE("utf16: files with a byte order mark", "[server]") {
  ReadOptions options;
  options.keys = {"pk"};
  for (const Order order : {Order::LittleEnd, Order::BigEnd}) {
    CHECK(read_all(as_utf16("pk;v\r\na;\"b\nc\"\r\n", order), options) ==
          "CSV with semicolons: pk=a v=b\nc");
    CHECK(read_all(as_utf16("{\"pk\":\"a\"}\r\n{\"pk\":\"b\"}", order), options) ==
          "JSON Lines: pk=a / pk=b");
    CHECK(read_all(as_utf16("{\n\"users\":[{\"pk\":\"a\"}]}", order), options) ==
          "JSON, the list 'users': pk=a");
    CHECK(read_all(as_utf16("", order), options) == "file is empty");
    const std::string long_value(700'000, 'x');
    CHECK(read_all(as_utf16("{\"pk\":\"" + long_value + "\"}\n{\"pk\":\"b\"}", order), options) ==
          "JSON Lines: pk=" + long_value + " / pk=b");
  }
}

TEST_CASE("utf16: damaged files, other encodings, and ImportTable", "[server]") {
  ReadOptions options;
  options.keys = {"pk"};
  const std::string good = as_utf16("{\"pk\":\"a\"}\n", Order::LittleEnd);
  CHECK(read_all(good + "x", options) == "file: its UTF-16 is damaged");
  CHECK(read_all("\xFF\xFE\0\0a\0\0\0"s, options) == "file is UTF-32; UTF-8 is read");
  options.is_strict = true;
  CHECK(read_all(good, options) == "file is UTF-16; UTF-8 is read");
}

}  // namespace stator::data
