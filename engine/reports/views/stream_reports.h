// The streams of a table with their shards, and what these hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/reports/figures.h"
#include "engine/schema/stream.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

struct ShardReport {
  Shard shard;
  std::uint64_t records = 0;
};

struct StreamReport {
  TableLabel label;
  Stream stream;
  std::vector<ShardReport> shards;  // in the order of their opening
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // in the store
  std::optional<Timestamp> oldest;
  std::optional<Timestamp> newest;
  // Not all records were counted, or not all shards are listed.
  bool has_more = false;
};

// The records of a shard that a reader has not read.
struct UnreadRecords {
  std::uint64_t records = 0;
  std::optional<Timestamp> oldest;
  bool has_more = false;  // not all were counted
};

// Records that are counted at most, of all streams of the table.
inline constexpr std::size_t kStreamRecordsCountedMax = 10'000;

// The streams of tables of this name, in the order of their labels and creation. Streams of deleted
// tables are included. Lists up to `shards_max` shards of all of them.
Result<std::vector<StreamReport>> stream_reports(const Snapshot& snapshot, Isolation isolation,
                                                 std::string_view table_name,
                                                 std::size_t shards_max);

// Counts the records of a stream's shard from `position` on. `records_left` are those of any shard
// that it may read; it takes off what it has read.
Result<UnreadRecords> unread_records(const Snapshot& snapshot, const Stream& stream,
                                     const Shard& shard, std::uint64_t position,
                                     std::size_t& records_left);

}  // namespace stator
