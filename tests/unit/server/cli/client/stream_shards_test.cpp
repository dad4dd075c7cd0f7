#include "server/cli/client/stream_shards.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator::client {
namespace {

// Adds one page: shards as JSON.
void list(StreamShards& shards, const std::string& page) {
  std::string text = R"({"Shards":[)" + page + "]}";
  Arena arena;
  const auto node = read_json(text, arena);
  REQUIRE(node);
  shards.add(*node);
  shards.end_list();
}

std::string ids(StreamShards& shards) {
  std::string text;
  for (const StreamShard* const shard : shards.readable()) text += shard->id;
  return text;
}

constexpr const char* kParentAndChild =
    R"({"ShardId":"a","SequenceNumberRange":{"StartingSequenceNumber":"1","EndingSequenceNumber":"5"}},)"
    R"({"ShardId":"b","ParentShardId":"a","SequenceNumberRange":{"StartingSequenceNumber":"6"}})";

}  // namespace

TEST_CASE("watched shards: a child waits for its parent", "[server]") {
  StreamShards shards{StreamStart::Oldest};
  list(shards, kParentAndChild);
  CHECK(ids(shards) == "a");
  CHECK(shards.iterator_request("arn", *shards.readable().front()) ==
        R"({"StreamArn":"arn","ShardId":"a","ShardIteratorType":"TRIM_HORIZON"})");
  shards.readable().front()->is_read = true;
  CHECK(ids(shards) == "b");
}

TEST_CASE("watched shards: the latest record is in an open shard", "[server]") {
  StreamShards shards{StreamStart::Latest};
  list(shards, kParentAndChild);
  REQUIRE(ids(shards) == "b");
  CHECK(shards.iterator_request("arn", *shards.readable().front()) ==
        R"({"StreamArn":"arn","ShardId":"b","ShardIteratorType":"LATEST"})");
  shards.readable().front()->sequence = "7";
  CHECK(
      shards.iterator_request("arn", *shards.readable().front()) ==
      R"({"StreamArn":"arn","ShardId":"b","ShardIteratorType":"AFTER_SEQUENCE_NUMBER","SequenceNumber":"7"})");
}

TEST_CASE("watched shards: those of a later list are read from their beginning", "[server]") {
  StreamShards shards{StreamStart::Latest};
  list(shards, R"({"ShardId":"b","SequenceNumberRange":{"StartingSequenceNumber":"6"}})");
  list(shards, R"({"ShardId":"c","ParentShardId":"b","SequenceNumberRange":{}})");
  // The list has lost the parent, with its records.
  REQUIRE(ids(shards) == "c");
  CHECK(shards.iterator_request("arn", *shards.readable().front()) ==
        R"({"StreamArn":"arn","ShardId":"c","ShardIteratorType":"TRIM_HORIZON"})");
}

}  // namespace stator::client
