// server/http/chunk_decoder.cpp: bodies in chunks, cut anywhere.

#include "server/http/chunk_decoder.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

using Progress = ChunkDecoder::Progress;

struct Outcome {
  Progress progress;
  std::string body;
  std::size_t consumed;
};

Outcome decode(std::string_view bytes, std::size_t piece, std::size_t body_max = 100,
               std::size_t extra_max = 30) {
  ChunkDecoder decoder{body_max, extra_max};
  Outcome outcome{Progress::NeedMore, {}, 0};
  while (outcome.progress == Progress::NeedMore && outcome.consumed < bytes.size()) {
    const auto [consumed, progress] =
        decoder.feed(bytes.substr(outcome.consumed, piece), outcome.body);
    outcome.consumed += consumed;
    outcome.progress = progress;
  }
  return outcome;
}

struct Case {
  std::string_view bytes, body;
  std::size_t left = 0;  // bytes behind the body
};

constexpr Case kGood[] = {
    {"0\r\n\r\n", ""},
    {"000\r\n\r\nGET", "", 3},
    {"1\r\na\r\n0\r\n\r\n", "a"},
    {"a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"},
    {"2;name=value;q=\"x\"\r\n\r\n\r\n0;last\r\n\r\n", "\r\n"},
    {"1 \t\r\na\r\n0\r\n\r\n", "a"},
    {"1\r\na\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\nrest", "a", 4},
    {"00000000000000000000000000001\r\na\r\n0\r\n\r\n", "a"},
};

TEST_CASE("chunks: decoded the same in pieces of every size", "[server]") {
  for (const Case& c : kGood) {
    INFO(c.bytes);
    for (std::size_t piece = 1; piece <= c.bytes.size(); ++piece) {
      const Outcome outcome = decode(c.bytes, piece);
      REQUIRE(outcome.progress == Progress::Complete);
      REQUIRE(outcome.body == c.body);
      REQUIRE(c.bytes.size() - outcome.consumed == c.left);
    }
    const std::string_view needed = c.bytes.substr(0, c.bytes.size() - c.left);
    for (std::size_t size = 0; size < needed.size(); ++size) {
      REQUIRE(decode(needed.substr(0, size), 7).progress == Progress::NeedMore);
    }
  }
}

TEST_CASE("chunks: refused wherever they are cut", "[server]") {
  constexpr std::string_view kBad[] = {
      "\r\n",
      "x\r\n",
      ";a\r\n",
      "-1\r\n",
      " 1\r\na\r\n",
      "1\na\r\n",
      "1\r\nab\r\n",
      "1\r\na\n0\r\n",
      "1\r\r\n",
      "0\r\n\rx",
      "0\r\nA: b\n",
      "0\r\nA: b\r\n\rx",
      "1;a\x01\r\na\r\n",
      "1;\n\r\na\r\n",
      "1\r\na\rx",
  };
  for (const std::string_view bytes : kBad) {
    INFO(bytes);
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
      CHECK(decode(bytes, piece).progress == Progress::Malformed);
    }
  }
}

TEST_CASE("chunks: bounded", "[server]") {
  CHECK(decode("65\r\n", 1).progress == Progress::TooLarge);
  CHECK(decode("ffffffffffffffffffffffff\r\n", 1).progress == Progress::TooLarge);
  CHECK(decode("2\r\nab\r\n2\r\n", 3, /*body_max=*/3).progress == Progress::TooLarge);
  CHECK(decode("2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 3, /*body_max=*/3).body == "abc");
  const std::string extras(30, 'x');
  CHECK(decode("0\r\n" + extras + "\r\n\r\n", 100).progress == Progress::Complete);
  CHECK(decode("0\r\n" + extras + "x\r\n\r\n", 100).progress == Progress::Malformed);
  CHECK(decode("1" + (";" + extras) + "\r\n", 100).progress == Progress::Malformed);
}

}  // namespace
}  // namespace stator
