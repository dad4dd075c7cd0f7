// Base64 both ways, with the two refusals.
#include "protocol/text/base64.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

std::string encoded(std::string_view bytes) {
  std::string out = "x";  // it appends
  append_base64(out, bytes);
  return out.substr(1);
}

TEST_CASE("base64: encodes and decodes the vectors of RFC 4648", "[protocol]") {
  struct Row {
    const char* bytes;
    const char* text;
  };
  const Row rows[] = {{"", ""},
                      {"f", "Zg=="},
                      {"fo", "Zm8="},
                      {"foo", "Zm9v"},
                      {"foob", "Zm9vYg=="},
                      {"fooba", "Zm9vYmE="},
                      {"foobar", "Zm9vYmFy"}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Arena arena;
    CHECK(encoded(row.bytes) == row.text);
    CHECK(check_base64(row.text) == Base64Error::None);
    CHECK(decode_base64(row.text, arena) == row.bytes);
  }
}

TEST_CASE("base64: every byte survives a round trip at every length", "[protocol]") {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    const std::string text = encoded(bytes);
    Arena arena;
    REQUIRE(check_base64(text) == Base64Error::None);
    REQUIRE(decode_base64(text, arena) == bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
}

TEST_CASE("base64: refuses lengths that are not a multiple of four", "[protocol]") {
  for (const char* text : {"a", "ab", "abc", "abcde", "Zg=", "=", "Zm9vYg="}) {
    CAPTURE(text);
    CHECK(check_base64(text) == Base64Error::BadLength);
  }
}

TEST_CASE("base64: refuses foreign characters, inner padding and unused bits", "[protocol]") {
  for (const char* text : {"=+/=", "+/+=", "====", "a===", "Zh==", "Zm9=", "Zg==Zg==", "Zm=v",
                           "Z m9", "Zm9-", "Zm9_", "Zm9\n",
                           "\xC3\xA9"
                           "ab",
                           "ab=a"}) {
    CAPTURE(text);
    CHECK(check_base64(text) == Base64Error::BadText);
  }
  CHECK(check_base64(std::string_view("Zm\0v", 4)) == Base64Error::BadText);
}

TEST_CASE("base64: of all last groups only those without unused bits pass", "[protocol]") {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    CAPTURE(i);
    const std::string one_byte = std::string("A") + alphabet[i] + "==";
    const std::string two_bytes = std::string("AA") + alphabet[i] + "=";
    CHECK((check_base64(one_byte) == Base64Error::None) == (i % 16 == 0));
    CHECK((check_base64(two_bytes) == Base64Error::None) == (i % 4 == 0));
  }
}

}  // namespace
}  // namespace stator
