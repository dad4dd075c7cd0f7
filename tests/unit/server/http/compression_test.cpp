// server/http/compression.cpp: there and back, damage, and the bound.

#include "server/http/compression.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

std::string packed(std::string_view text, Encoding encoding) {
  std::string out;
  deflate_body(text, encoding, out);
  return out;
}

Inflated inflated(std::string_view bytes, Encoding encoding, std::string& out,
                  std::size_t bytes_max = 1 << 20) {
  return inflate_body(bytes, encoding, bytes_max, out);
}

TEST_CASE("compression: what was packed is unpacked", "[server]") {
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += std::to_string(i * 7919) + ",";
  for (const Encoding encoding : {Encoding::Gzip, Encoding::Deflate}) {
    for (const std::string& text : {std::string{}, std::string{"{}"}, long_text}) {
      std::string out = "left over";
      REQUIRE(inflated(packed(text, encoding), encoding, out) == Inflated::Ok);
      CHECK(out == text);
    }
    CHECK(packed(long_text, encoding).size() < long_text.size());
  }
}

TEST_CASE("compression: several gzip members are one body", "[server]") {
  std::string out;
  const std::string both = packed("abc", Encoding::Gzip) + packed("def", Encoding::Gzip);
  REQUIRE(inflated(both, Encoding::Gzip, out) == Inflated::Ok);
  CHECK(out == "abcdef");
}

TEST_CASE("compression: damage is noticed", "[server]") {
  std::string out;
  for (const Encoding encoding : {Encoding::Gzip, Encoding::Deflate}) {
    const std::string good = packed("some text that is long enough", encoding);
    CHECK(inflated("", encoding, out) == Inflated::Broken);
    CHECK(inflated("not compressed", encoding, out) == Inflated::Broken);
    for (std::size_t size = 0; size < good.size(); ++size) {
      CHECK(inflated(good.substr(0, size), encoding, out) == Inflated::Broken);
    }
    CHECK(inflated(good + "x", encoding, out) == Inflated::Broken);
    std::string flipped = good;
    flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);
    CHECK(inflated(flipped, encoding, out) == Inflated::Broken);
  }
  // A second member whose head is damaged, or that is cut off.
  const std::string member = packed("abc", Encoding::Gzip);
  for (const std::string& tail :
       {"\x1f\x8c" + member.substr(2), std::string("\x1f"), std::string(1, '\0'),
        member.substr(0, 5), member.substr(0, member.size() - 1)}) {
    CHECK(inflated(member + tail, Encoding::Gzip, out) == Inflated::Broken);
  }
  const std::string zlib = packed("abc", Encoding::Deflate);
  CHECK(inflated(zlib + zlib, Encoding::Deflate, out) == Inflated::Broken);
  CHECK(inflated(zlib, Encoding::Gzip, out) == Inflated::Broken);
}

TEST_CASE("compression: output is bounded", "[server]") {
  constexpr std::size_t kMax = 300'000;
  std::string out;
  for (const Encoding encoding : {Encoding::Gzip, Encoding::Deflate}) {
    REQUIRE(inflated(packed(std::string(kMax, 'a'), encoding), encoding, out, kMax) ==
            Inflated::Ok);
    CHECK(out.size() == kMax);
    CHECK(inflated(packed(std::string(kMax + 1, 'a'), encoding), encoding, out, kMax) ==
          Inflated::TooLarge);
  }
  const std::string bomb = packed(std::string(64 << 20, '\0'), Encoding::Gzip);
  std::string fresh;
  CHECK(inflated(bomb, Encoding::Gzip, fresh, kMax) == Inflated::TooLarge);
  CHECK(fresh.capacity() <= 2 * kMax);
}

TEST_CASE("compression: CRC-32 as zlib has it", "[server]") {
  CHECK(crc32_of("") == 0);
  CHECK(crc32_of("{}") == 2745614147U);
  CHECK(crc32_of("<UnknownOperationException/>\n") == 3552371480U);
  CHECK(crc32_of("healthy: dynamodb.us-east-1.amazonaws.com ") == 3128867991U);
  CHECK(crc32_of(R"({"__type":"com.amazon.coral.service#SerializationException"})") == 3948637019U);
}

}  // namespace
}  // namespace stator
