// Puts records into streams that this server hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/kinesis/shards.h"
#include "engine/schema/kinesis.h"
#include "engine/state/mutation.h"
#include "protocol/memory/arena.h"

namespace stator {

struct NewKinesisRecord {
  std::string_view partition_key;
  std::optional<KinesisHash> explicit_hash;  // instead of the key's
  std::string_view data;
};

struct PutKinesisRecord {
  std::uint32_t shard = 0;
  std::string sequence_number;
};

// Stages the record and counts it in `stream`, which the caller stages afterwards. The staged bytes
// live in the arena.
PutKinesisRecord put_hosted_record(KinesisStream& stream, const NewKinesisRecord& record,
                                   Timestamp now, Mutation& mutation, Arena& arena);

}  // namespace stator
