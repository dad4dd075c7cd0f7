// Stream: the description of a table's stream. Its records are entries of the table's journal
// (engine/storage/stores/journal.h). A stream outlives its table.
//
// Numbers are the journal's: records and the openings of shards share one sequence.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/space.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

enum class StreamStatus : std::uint8_t { Enabling, Enabled, Disabling, Disabled };
std::string_view to_text(StreamStatus status);

// A stream with this many open shards gets no more when partitions split.
inline constexpr std::size_t kOpenShardsMax = 100;

// Contains the records of a range of partition hashes (storage::partition_hash, 24 bits) for a
// period.
struct Shard {
  std::string id = {};
  std::string parent_id = {};  // empty if none
  std::uint64_t start = 0;     // the next number at the opening: below all of its records
  std::optional<std::uint64_t> end =
      {};  // if closed: not below its last record, below its child's start
  std::uint32_t hash_begin = 0;
  std::uint32_t hash_end = 0;  // one past the last hash
  Timestamp opened = {};
  std::optional<Timestamp> closed = {};

  bool has(std::uint32_t hash) const { return hash >= hash_begin && hash < hash_end; }
  // Whether the shard may contain the record with this number.
  bool may_have(std::uint64_t number) const { return number > start && (!end || number <= *end); }
};
inline constexpr std::uint32_t kPartitionHashes = 1U << 24;

// Example: shardId-00000001573689847184-864758bb. Clients read the milliseconds. Ids rise with time
// and number.
std::string shard_id(Timestamp opened, std::uint64_t start);

struct Stream {
  std::uint64_t number = 0;  // internal identifier; never reused
  std::string scope;         // its table's scope
  std::string table_name;
  std::string region;
  std::string account_id;
  storage::SpaceId table{};  // the table whose journal has the records; may be deleted
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  StreamViewType view_type = StreamViewType::KeysOnly;
  std::string label;
  std::array<std::uint64_t, 2> seed{};  // for the ids of its stream records
  Timestamp created;
  Timestamp enabling_until;
  std::optional<Timestamp> closed;  // if set, no more changes are recorded
  Timestamp disabling_until;
  std::vector<std::string> open_shards;  // ids

  StreamStatus status(Timestamp now) const {
    if (closed) return now < disabling_until ? StreamStatus::Disabling : StreamStatus::Disabled;
    return now < enabling_until ? StreamStatus::Enabling : StreamStatus::Enabled;
  }
  std::string arn() const;
};

// Example: 2026-11-20T21:04:05.123
std::string stream_label(Timestamp created);

}  // namespace stator
