#include "engine/kinesis/shards.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;

TEST_CASE("kinesis shards: ids are read back", "[kinesis]") {
  CHECK(kinesis_shard_id(0) == "shardId-000000000000");
  CHECK(kinesis_shard_id(123) == "shardId-000000000123");
  for (const std::uint32_t shard : {0U, 7U, 4'000'000'000U})
    CHECK(kinesis_shard_of_id(kinesis_shard_id(shard)) == shard);
  for (const std::string text : {"", "shardId-", "shardId-1", "shardId-00000000000x",
                                 "shardId-999999999999", "shard-000000000000"}) {
    CAPTURE(text);
    CHECK_FALSE(kinesis_shard_of_id(text));
  }
}

TEST_CASE("kinesis shards: ranges have all hashes, and none twice", "[kinesis]") {
  const auto maximum = read_kinesis_hash("340282366920938463463374607431768211455");
  REQUIRE(maximum);
  for (const std::uint32_t shards : {1U, 2U, 3U, 4U, 7U, 64U, 500U}) {
    CAPTURE(shards);
    KinesisHash next = 0;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
      const KinesisHashRange range = kinesis_hash_range(shard, shards);
      CHECK(range.first == next);
      CHECK(kinesis_shard_of(range.first, shards) == shard);
      CHECK(kinesis_shard_of(range.last, shards) == shard);
      next = range.last + 1;
    }
    CHECK(kinesis_hash_range(shards - 1, shards).last == *maximum);
  }
  CHECK(kinesis_hash_text(kinesis_hash_range(0, 3).last) ==
        "113427455640312821154458202477256070484");
}

TEST_CASE("kinesis shards: a hash is MD5, as a number", "[kinesis]") {
  CHECK(kinesis_hash_text(kinesis_hash("")) == "281949768489412648962353822266799178366");
  CHECK_FALSE(read_kinesis_hash("340282366920938463463374607431768211456"));
  CHECK_FALSE(read_kinesis_hash(""));
  CHECK_FALSE(read_kinesis_hash("-1"));
}

TEST_CASE("kinesis shards: sequence numbers rise and are read back", "[kinesis]") {
  KinesisSequence sequence{{1'790'000'000'000'000}, 3, 0, {1'790'000'000'000'000}};
  std::string last;
  for (const std::uint64_t number : {0ULL, 1ULL, 2ULL, 1ULL << 32, 1ULL << 60}) {
    sequence.number = number;
    const std::string text = kinesis_sequence_text(sequence);
    CHECK(text.size() == 56);
    CHECK(last < text);
    last = text;
    const auto read = read_kinesis_sequence(text);
    REQUIRE(read);
    CHECK(read->stream_created == sequence.stream_created);
    CHECK(read->shard == 3);
    CHECK(read->number == number);
    CHECK(read->time == sequence.time);
  }
  for (const std::string& text : {std::string(), std::string(56, '0'), std::string(56, '9'),
                                  std::string(55, '4'), last.substr(1) + "x"}) {
    CAPTURE(text);
    CHECK_FALSE(read_kinesis_sequence(text));
  }
}
