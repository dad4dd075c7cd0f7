// server/http/read_buffer.h: bytes come out as they went in, and room follows the traffic.

#include "server/http/read_buffer.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

void put(ReadBuffer& buffer, std::string_view bytes) {
  const auto room = buffer.room();
  REQUIRE(room.size() >= bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  buffer.received(bytes.size());
}

TEST_CASE("read buffer: first in, first out", "[server]") {
  ReadBuffer buffer;
  CHECK(buffer.empty());
  put(buffer, "abc");
  put(buffer, "def");
  CHECK(buffer.bytes() == "abcdef");
  buffer.consume(2);
  CHECK(buffer.bytes() == "cdef");
  put(buffer, "g");
  CHECK(buffer.bytes() == "cdefg");
  buffer.consume(5);
  CHECK(buffer.empty());
}

TEST_CASE("read buffer: grows while it is filled, up to its bound, and shrinks", "[server]") {
  ReadBuffer buffer;
  std::string all;
  CHECK(buffer.room().size() == ReadBuffer::kBytesMin);
  while (!buffer.room().empty()) {
    const std::string piece(buffer.room().size(), static_cast<char>('a' + all.size() % 26));
    put(buffer, piece);
    all += piece;
    REQUIRE(all.size() <= ReadBuffer::kBytesMax);
  }
  CHECK(all.size() == ReadBuffer::kBytesMax);
  CHECK(buffer.bytes() == all);
  buffer.consume(10);
  CHECK(buffer.room().size() == 10);
  buffer.shrink();
  CHECK(buffer.bytes() == std::string_view{all}.substr(10));
  buffer.consume(all.size() - 10);
  buffer.shrink();
  CHECK(buffer.room().size() == ReadBuffer::kBytesMin);
}

}  // namespace
}  // namespace stator
