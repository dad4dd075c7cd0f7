#include "server/dispatch/stream_readers.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

ShardReader reader_of(const std::string& agent, std::uint64_t stream, std::uint64_t position) {
  ShardReader reader;
  reader.agent = agent;
  reader.stream = stream;
  reader.shard_id = "shard";
  reader.position = position;
  return reader;
}

TEST_CASE("stream readers: one place for each, the last seen first", "[server]") {
  StreamReaders readers;
  CHECK(readers.list().empty());
  readers.note(reader_of("a", 1, 5));
  readers.note(reader_of("b", 1, 6));
  readers.note(reader_of("a", 2, 7));
  readers.note(reader_of("a", 1, 8));
  const auto list = readers.list();
  REQUIRE(list.size() == 3);
  CHECK(list[0].agent == "a");
  CHECK(list[0].position == 8);
  CHECK(list[1].stream == 2);
  CHECK(list[2].agent == "b");
}

TEST_CASE("stream readers: the oldest make room", "[server]") {
  StreamReaders readers;
  for (std::size_t i = 0; i < StreamReaders::kReadersMax + 10; ++i)
    readers.note(reader_of(std::to_string(i), 1, i));
  const auto list = readers.list();
  CHECK(list.size() == StreamReaders::kReadersMax);
  CHECK(list.back().agent == "10");
}

}  // namespace
}  // namespace stator
