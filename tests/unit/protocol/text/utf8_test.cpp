// UTF-8 validation against the ranges of RFC 3629, at every place of a block.
#include "protocol/text/utf8.h"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

// The definition, one code point at a time and independent of the code under test.
std::string encode(unsigned code) {
  std::string text;
  const auto put = [&](unsigned byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return text;
}

TEST_CASE("utf8: accepts every code point but the surrogates", "[protocol]") {
  std::size_t wrong = 0;
  for (unsigned code = 0; code < 0x110000 + 0x100; ++code) {
    const bool expected = code < 0x110000 && !(code >= 0xD800 && code < 0xE000);
    if (is_valid_utf8(encode(code)) != expected) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("utf8: refuses malformed sequences wherever they stand", "[protocol]") {
  const std::string bad[] = {
      "\x80",              // a continuation alone
      "\xC0\x80",          // overlong NUL
      "\xC1\xBF",          // overlong
      "\xC3",              // cut
      "\xC3(",             // no continuation
      "\xE0\x9F\xBF",      // overlong
      "\xE2\x82",          // cut
      "\xED\xA0\x80",      // surrogate
      "\xED\xBF\xBF",      // surrogate
      "\xF0\x8F\xBF\xBF",  // overlong
      "\xF0\x9F\x98",      // cut
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",  // no such lead
      "\xFF",
  };
  for (const std::string& sequence : bad) {
    for (std::size_t before = 0; before < 80; ++before) {
      for (const std::size_t after : {std::size_t{0}, std::size_t{1}, std::size_t{40}}) {
        const std::string text = std::string(before, 'a') + sequence + std::string(after, 'z');
        CAPTURE(before, after);
        REQUIRE_FALSE(is_valid_utf8(text));
      }
    }
  }
}

TEST_CASE("utf8: accepts long mixtures at every alignment", "[protocol]") {
  const std::string unit = "abc\xC3\xA9\xE6\x9D\xB1\xF0\x9F\x98\x80";
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += unit + std::string(static_cast<std::size_t>(i), 'x');
    REQUIRE(is_valid_utf8(text));
    REQUIRE_FALSE(is_valid_utf8(text + "\xF0\x9F\x98"));
  }
  CHECK(is_valid_utf8(""));
  CHECK(is_valid_utf8(std::string_view("\0", 1)));
}

TEST_CASE("utf8: counts characters, not bytes", "[protocol]") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("abc") == 3);
  CHECK(utf8_length("\xE6\x9D\xB1\xE4\xBA\xAC") == 2);
  CHECK(utf8_length("a\xC3\xA9\xF0\x9F\x98\x80") == 3);
}

TEST_CASE("utf8: a prefix ends between characters", "[protocol]") {
  const std::string_view text = "a\xC3\xA9\xF0\x9F\x98\x80z";
  const std::vector<std::size_t> sizes = {0, 1, 1, 3, 3, 3, 3, 7, 8, 8};
  for (std::size_t i = 0; i < sizes.size(); ++i) CHECK(utf8_prefix(text, i).size() == sizes[i]);
}

}  // namespace
}  // namespace stator
