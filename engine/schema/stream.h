// Stream: what is known of a table's stream beside its records, which are entries of the table's
// journal (engine/storage/journal.h). It outlives its table.
//
// Numbers are those of the journal: records and the openings of shards share them.
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

// What the user chose for all streams (engine/call/settings.h).
struct StreamLimits {
  std::uint32_t shards = 1;                                          // open at a time, of a stream
  std::chrono::microseconds retention = std::chrono::hours(24);      // of a record
  std::chrono::microseconds rollover_after = std::chrono::hours(4);  // zero: shards stay open
  // What the records of all streams may occupy; the oldest go first.
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
};

enum class StreamStatus : std::uint8_t { Enabling, Enabled, Disabling, Disabled };
std::string_view to_text(StreamStatus status);

// A stream that has so many open shards gets no more of splits of partitions.
inline constexpr std::size_t kOpenShardsMax = 100;

// The records of the partitions whose hashes (storage::partition_hash, 24 bits) it has, for a
// while.
struct Shard {
  std::string id = {};
  std::string parent_id = {};  // empty: none
  std::uint64_t start = 0;     // taken at the opening: below all of its records
  std::optional<std::uint64_t> end =
      {};  // closed: not below its last record, below its child's start
  std::uint32_t hash_begin = 0;
  std::uint32_t hash_end = 0;  // behind the last hash
  Timestamp opened = {};
  std::optional<Timestamp> closed = {};

  bool has(std::uint32_t hash) const { return hash >= hash_begin && hash < hash_end; }
  // Whether the record of that number may be its.
  bool may_have(std::uint64_t number) const { return number > start && (!end || number <= *end); }
};
inline constexpr std::uint32_t kPartitionHashes = 1U << 24;

// shardId-00000001573689847184-864758bb: clients read the milliseconds. Ids rise with time and
// number.
std::string shard_id(Timestamp opened, std::uint64_t start);

struct Stream {
  std::uint64_t number = 0;  // its name inside; never used again
  std::string scope;         // as its table's
  std::string table_name;
  std::string region;
  std::string account_id;
  storage::SpaceId table{};  // whose journal has the records; may be gone
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  StreamViewType view_type = StreamViewType::KeysOnly;
  std::string label;
  std::array<std::uint64_t, 2> seed{};  // of the ids of its events
  Timestamp created;
  Timestamp enabling_until;
  std::optional<Timestamp> closed;  // nothing is recorded any more
  Timestamp disabling_until;
  std::vector<std::string> open_shards;  // ids

  StreamStatus status(Timestamp now) const {
    if (closed) return now < disabling_until ? StreamStatus::Disabling : StreamStatus::Disabled;
    return now < enabling_until ? StreamStatus::Enabling : StreamStatus::Enabled;
  }
  std::string arn() const;
};

// 2026-11-20T21:04:05.123
std::string stream_label(Timestamp created);

}  // namespace stator
