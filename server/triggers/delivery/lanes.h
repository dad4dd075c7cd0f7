// What the poller knows of mappings, their shards and lanes. Plain values, of its thread alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/schema/stream.h"
#include "engine/seams/clock.h"
#include "server/triggers/batches/batch_run.h"
#include "server/triggers/batches/gathering.h"
#include "server/triggers/batches/window.h"
#include "server/triggers/delivery/mapping_figures.h"
#include "server/triggers/functions.h"
#include "server/triggers/mapping.h"
#include "server/triggers/mapping_store.h"
#include "streams/filters/record_filter.h"

namespace stator::triggers {

// The part of a shard whose records go to the function one batch after the other. Numbers are of
// the journal.
struct Lane {
  std::uint32_t index = 0;
  std::uint64_t next = 0;       // the first that is not settled
  std::uint64_t read_next = 0;  // the first that was not read
  bool is_at_end = false;       // nothing was left to read
  bool is_full = false;         // the next record does not fit into the batch
  bool is_at_border = false;    // because it belongs to another window

  std::optional<std::uint64_t> stored = {};  // `next` as stored
  bool must_store = false;

  Gathering gathering = {};
  std::optional<BatchRun> run = {};  // a batch that is on its way
  std::uint64_t run_end = 0;         // where the lane goes on after it
  // Of a batch that an earlier process began, until it is a run again.
  std::vector<PieceNote> resumed = {};
  std::optional<TumblingWindow> window = {};
  bool is_final_call = false;  // the run has no records and ends the window

  std::uint64_t call = 0;  // in flight; 0: none
  Timestamp call_ended = Timestamp::min();
  std::optional<Timestamp> not_before = {};  // of the next call
  bool waits_for_runtime = false;            // which ends `not_before`
  bool has_waited = false;                   // and has ended it
  std::uint64_t busy_since = 0;              // the turn; 0: not busy
  std::string last_error = {};

  // Whether the record belongs after the batch that is resumed.
  bool is_after_resumed(std::uint64_t number) const {
    return !resumed.empty() && number >= resumed.front().end;
  }
  bool is_empty() const { return !run && gathering.is_empty() && !window; }
  std::size_t held_bytes() const { return gathering.bytes() + (run ? run->bytes() : 0); }
};

struct ShardRun {
  Shard shard;
  std::vector<Lane> lanes;

  // Whether all of a closed shard is settled.
  bool is_finished() const {
    return shard.end && std::all_of(lanes.begin(), lanes.end(), [this](const Lane& lane) {
             return lane.is_empty() && lane.next > *shard.end;
           });
  }
  bool has_call() const {
    return std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.call != 0; });
  }
};

struct MappingRun {
  Mapping mapping;
  bool was_changing = false;  // when it was read
  std::vector<RecordFilter> filters;
  const FunctionTarget* target = nullptr;  // nullptr: no flag names the function
  bool has_stream = true;
  std::uint64_t horizon = 0;  // the first number that the stream still has
  std::map<std::string, ShardRun, std::less<>> shards;
  // As stored when they were read, for shards that are not in `shards` yet.
  std::map<std::pair<std::string, std::uint32_t>, ShardPosition> stored;
  std::vector<PositionChange> removals;  // of positions that no lane has any more
  std::string stored_result;
  std::string result;     // LastProcessingResult
  std::size_t calls = 0;  // in flight
  MappingCounts counts;
};

// A shard with a window has one state, so it has one lane.
inline std::uint32_t lanes_of(const MappingSettings& settings) {
  if (settings.tumbling_window_s > 0) return 1;
  return static_cast<std::uint32_t>(std::max(settings.parallelization_factor, 1));
}

}  // namespace stator::triggers
