// Shards of streams of Kinesis: which one has a key, their ids and ranges of hashes, and the
// sequence numbers of records (conformance/observed/kinesis.md 4).
//
// A stream has n shards of equal ranges, which never change. A hash is a number of 128 bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator {

__extension__ using KinesisHash = unsigned __int128;

// "shardId-000000000007"
std::string kinesis_shard_id(std::uint32_t shard);
// The shard of such an id; empty if the text is none.
std::optional<std::uint32_t> kinesis_shard_of_id(std::string_view id);

// MD5 of the key.
KinesisHash kinesis_hash(std::string_view partition_key);
// A decimal number of at most 128 bits; empty if the text is none.
std::optional<KinesisHash> read_kinesis_hash(std::string_view text);
std::string kinesis_hash_text(KinesisHash hash);

struct KinesisHashRange {
  KinesisHash first = 0;
  KinesisHash last = 0;  // included
};
// REQUIRES: shard < shards.
KinesisHashRange kinesis_hash_range(std::uint32_t shard, std::uint32_t shards);
std::uint32_t kinesis_shard_of(KinesisHash hash, std::uint32_t shards);

// Identifies a record: 56 decimal digits, which rise with the number within a shard. Number zero is
// the shard's beginning.
struct KinesisSequence {
  Timestamp stream_created;
  std::uint32_t shard = 0;
  std::uint64_t number = 0;
  Timestamp time;  // of the record, in whole seconds
};
std::string kinesis_sequence_text(const KinesisSequence& sequence);
// Empty if the text is not of that form.
std::optional<KinesisSequence> read_kinesis_sequence(std::string_view text);

}  // namespace stator
