// Reads the shards of a mapping's stream into its lanes, from a snapshot.
#pragma once

#include <cstddef>

#include "engine/api/stream_reader.h"
#include "protocol/errors/result.h"
#include "server/triggers/delivery/filtered_log.h"
#include "server/triggers/delivery/lanes.h"

namespace stator::triggers {

// What one look may still read, over all mappings.
struct ReadingRoom {
  std::size_t entries = 0;
  std::size_t bytes = 0;  // stored ones
  std::size_t held = 0;   // bytes of records that lanes may still take
  bool is_short = false;  // something was left out

  bool is_used_up() const { return entries == 0 || bytes == 0; }
};

class ShardReading {
 public:
  // All must outlive this. `now` is the turn's: it judges windows that begin with records read
  // here.
  ShardReading(const Snapshot& snapshot, MappingRun& run, ReadingRoom& room, FilteredLog& filtered,
               Timestamp now)
      : snapshot_(snapshot),
        streams_(snapshot),
        run_(run),
        settings_(run.mapping.effective(now)),
        room_(room),
        filtered_(filtered),
        now_(now) {}

  // Updates the shards and gathers records in the lanes of those that can be read. If it fails,
  // what was gathered stays.
  Result<void> read();
  // The first number that the stream still has, after read().
  std::uint64_t horizon() const { return horizon_; }

 private:
  Result<void> update_shards(const Stream& stream);
  void open_shard(const Shard& shard);
  void forget_gone(const std::vector<Shard>& shards);
  void fit_lanes(ShardRun& shard);
  Result<void> read_lane(const Stream& stream, const ShardRun& shard, Lane& lane);
  // Returns whether the lane is to read on.
  bool take(const Stream& stream, const StreamChange& change, const ShardRun& shard, Lane& lane);
  bool passes(const TriggerRecord& record, const ShardRun& shard);
  bool is_at_border(Lane& lane, Timestamp written) const;
  Result<void> end_lane(const ShardRun& shard, Lane& lane) const;

  const Snapshot& snapshot_;
  const StreamReader streams_;
  MappingRun& run_;
  const MappingSettings& settings_;
  ReadingRoom& room_;
  FilteredLog& filtered_;
  const Timestamp now_;
  std::vector<Shard> shards_;
  std::uint64_t horizon_ = 0;
};

}  // namespace stator::triggers
