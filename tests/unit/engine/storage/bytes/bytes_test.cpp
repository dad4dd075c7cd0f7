#include "engine/storage/bytes/bytes.h"

#include <array>
#include <limits>

#include <catch2/catch.hpp>

namespace stator::storage {
namespace {

using std::string_literals::operator""s;

TEST_CASE("bytes: what is written is read back", "[storage]") {
  std::string text;
  ByteWriter out(text);
  out.u8(0xFE);
  out.be(std::uint32_t{0x01020304});
  out.le(std::uint32_t{0x01020304});
  out.be(std::numeric_limits<std::uint64_t>::max() - 1);
  out.le(std::uint64_t{1} << 63);
  for (const std::size_t value : {0U, 127U, 128U, 16383U, 16384U, UINT32_MAX}) out.varint(value);
  out.bytes("counted");
  const std::size_t begun = out.begin_block();
  out.raw("a block");
  out.end_block(begun);
  out.raw("rest");

  ByteReader in(text);
  CHECK(in.u8() == 0xFE);
  CHECK(in.be<std::uint32_t>() == 0x01020304);
  CHECK(in.le<std::uint32_t>() == 0x01020304);
  CHECK(in.be<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max() - 1);
  CHECK(in.le<std::uint64_t>() == std::uint64_t{1} << 63);
  for (const std::size_t value : {0U, 127U, 128U, 16383U, 16384U, UINT32_MAX})
    CHECK(in.varint() == value);
  CHECK(in.bytes() == "counted");
  CHECK(in.block() == "a block");
  CHECK(in.rest() == "rest");
  CHECK_FALSE(in.finish("a test"));
  CHECK(in.raw(4) == "rest");
  CHECK(in.finish("a test"));
}

TEST_CASE("bytes: numbers in keys sort as numbers", "[storage]") {
  std::string last;
  for (const std::uint64_t value : {0ULL, 1ULL, 255ULL, 256ULL, 65535ULL, 1ULL << 32, ~0ULL}) {
    std::string text;
    ByteWriter(text).be(value);
    CHECK((last.empty() || last < text));
    last = text;
  }
  std::array<char, 4> bytes{};
  store_le(bytes.data(), std::uint32_t{0x01020304});
  CHECK(std::string(bytes.data(), 4) == "\x04\x03\x02\x01");
  CHECK(load_le<std::uint32_t>(bytes.data()) == 0x01020304);
}

TEST_CASE("bytes: what is too short or wrong is damaged, and stays so", "[storage]") {
  const auto check = [](const std::string& text, auto read) {
    ByteReader in(text);
    read(in);
    CHECK(in.is_damaged());
    CHECK(in.u8() == 0);
    CHECK(in.bytes().empty());
    const auto finished = in.finish("a thing");
    REQUIRE_FALSE(finished);
    CHECK(finished.error().message() == "the data is damaged: a thing cannot be read");
  };
  check("", [](ByteReader& in) { CHECK(in.u8() == 0); });
  check("abc", [](ByteReader& in) { CHECK(in.be<std::uint32_t>() == 0); });
  check("abcdefg", [](ByteReader& in) { CHECK(in.le<std::uint64_t>() == 0); });
  check(
      "\x05"
      "abcd",
      [](ByteReader& in) { CHECK(in.bytes().empty()); });
  check("\x05\0\0\0abcd"s, [](ByteReader& in) { CHECK(in.block().empty()); });
  check("\x80", [](ByteReader& in) { CHECK(in.varint() == 0); });
  check("\x80\0"s, [](ByteReader& in) { CHECK(in.varint() == 0); });
  check("\xFF\xFF\xFF\xFF\x7F", [](ByteReader& in) { CHECK(in.varint() == 0); });
}

}  // namespace
}  // namespace stator::storage
