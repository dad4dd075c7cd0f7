#include "server/triggers/delivery/shard_reading.h"

#include <algorithm>
#include <utility>

#include "engine/schema/stream_name.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/triggers/batches/lane_note.h"
#include "server/triggers/batches/lineage.h"
#include "streams/sequence_number.h"
#include "streams/stream_record.h"

namespace stator::triggers {

Result<void> ShardReading::read() {
  const Mapping& mapping = run_.mapping;
  STATOR_TRY(const auto stream,
             streams_.find(StreamName{mapping.scope, mapping.table_name, mapping.stream_label}));
  run_.has_stream = stream.has_value();
  if (!stream) return {};
  STATOR_TRY(const auto horizon, streams_.trim_horizon(*stream));
  run_.has_stream = horizon.has_value();
  if (!horizon) return {};
  horizon_ = *horizon;
  STATOR_CHECK(update_shards(*stream));
  const auto is_finished = [this](std::string_view id) {
    const auto found = run_.shards.find(id);
    return found != run_.shards.end() && found->second.is_finished();
  };
  for (const std::size_t place : readable_shards(shards_, is_finished)) {
    ShardRun& shard = run_.shards.find(shards_[place].id)->second;
    for (Lane& lane : shard.lanes) STATOR_CHECK(read_lane(*stream, shard, lane));
  }
  return {};
}

Result<void> ShardReading::update_shards(const Stream& stream) {
  std::string after;
  for (;;) {
    STATOR_TRY(auto shard, streams_.next_shard(stream.number, after));
    if (!shard) break;
    after = shard->id;
    shards_.push_back(*std::move(shard));
  }
  forget_gone(shards_);
  for (const Shard& shard : shards_) {
    const auto found = run_.shards.find(shard.id);
    if (found == run_.shards.end()) {
      open_shard(shard);
    } else {
      found->second.shard = shard;
      fit_lanes(found->second);
    }
  }
  return {};
}

// Lanes begin where the positions say. If there are as many as lanes, each has its own; else the
// number of lanes has changed, and all begin at the lowest.
void ShardReading::open_shard(const Shard& shard) {
  ShardRun& opened = run_.shards[shard.id];
  opened.shard = shard;
  const std::uint64_t first = std::max(run_.mapping.first_number, shard.start);
  std::vector<ShardPosition> stored;
  for (auto at = run_.stored.lower_bound({shard.id, 0});
       at != run_.stored.end() && at->first.first == shard.id; at = run_.stored.erase(at))
    stored.push_back(std::move(at->second));
  const std::uint32_t lanes = lanes_of(settings_);
  std::uint64_t lowest = stored.empty() ? first : UINT64_MAX;
  for (const ShardPosition& position : stored) lowest = std::min(lowest, position.next);
  opened.lanes.resize(lanes);
  for (std::uint32_t index = 0; index < lanes; ++index) {
    opened.lanes[index].index = index;
    opened.lanes[index].next = lowest;
  }
  for (const ShardPosition& position : stored) {
    if (position.lane >= lanes) {
      run_.removals.push_back({shard.id, position.lane, position.next, std::nullopt});
      continue;
    }
    Lane& lane = opened.lanes[position.lane];
    lane.stored = position.next;
    if (stored.size() == lanes) lane.next = position.next;
    LaneNote note = read_lane_note(position.note);
    if (settings_.tumbling_window_s > 0) lane.window = std::move(note.window);
    if (stored.size() == lanes) lane.resumed = std::move(note.pieces);
  }
  for (Lane& lane : opened.lanes) lane.read_next = lane.next;
}

// Of shards that the stream no longer has.
void ShardReading::forget_gone(const std::vector<Shard>& shards) {
  const auto exists = [&shards](std::string_view id) {
    return std::any_of(shards.begin(), shards.end(),
                       [id](const Shard& shard) { return shard.id == id; });
  };
  for (auto at = run_.shards.begin(); at != run_.shards.end();) {
    if (exists(at->first) || at->second.has_call()) {
      ++at;
      continue;
    }
    for (const Lane& lane : at->second.lanes) {
      if (lane.stored) run_.removals.push_back({at->first, lane.index, lane.stored, std::nullopt});
    }
    at = run_.shards.erase(at);
  }
  for (auto at = run_.stored.begin(); at != run_.stored.end();) {
    if (exists(at->first.first)) {
      ++at;
      continue;
    }
    run_.removals.push_back({at->first.first, at->first.second, at->second.next, std::nullopt});
    at = run_.stored.erase(at);
  }
}

// After a change of the mapping, when the last call of the old lanes has ended.
void ShardReading::fit_lanes(ShardRun& shard) {
  const std::uint32_t lanes = lanes_of(settings_);
  if (shard.lanes.size() == lanes || shard.has_call()) return;
  std::uint64_t lowest = UINT64_MAX;
  for (const Lane& lane : shard.lanes) lowest = std::min(lowest, lane.next);
  std::vector<Lane> fitted(lanes);
  for (std::uint32_t index = 0; index < lanes; ++index) {
    fitted[index].index = index;
    fitted[index].next = lowest;
    fitted[index].read_next = lowest;
    fitted[index].must_store = true;
  }
  for (const Lane& lane : shard.lanes) {
    if (lane.index < lanes) {
      fitted[lane.index].stored = lane.stored;
    } else if (lane.stored) {
      run_.removals.push_back({shard.shard.id, lane.index, lane.stored, std::nullopt});
    }
  }
  shard.lanes = std::move(fitted);
}

Result<void> ShardReading::read_lane(const Stream& stream, const ShardRun& shard, Lane& lane) {
  if (lane.run || shard.lanes.size() != lanes_of(settings_)) return {};
  lane.is_at_end = false;
  lane.is_full = false;
  lane.is_at_border = false;
  ShardCursor cursor(snapshot_, stream, shard.shard);
  lane.read_next = std::max(lane.read_next, horizon_);
  STATOR_CHECK(cursor.seek(lane.read_next));
  for (;;) {
    if (cursor.is_at_end()) return end_lane(shard, lane);
    if (room_.is_used_up()) {
      room_.is_short = true;
      return {};
    }
    --room_.entries;
    room_.bytes -= std::min(room_.bytes, cursor.stored_bytes());
    STATOR_TRY(const StreamChange* const change, cursor.change());
    if (change != nullptr && !take(stream, *change, shard, lane)) {
      lane.is_full = true;
      return {};
    }
    lane.read_next = cursor.number() + 1;
    STATOR_CHECK(cursor.next());
  }
}

// Whether a function gets the record: any of the filters matches it, or there is none.
bool ShardReading::passes(const TriggerRecord& record, const ShardRun& shard) {
  if (run_.filters.empty()) return true;
  std::string text = record.json;
  Arena arena;
  const auto json = read_json(text, arena);
  if (!json) return false;
  const auto matches = [&json](const RecordFilter& filter) { return filter.matches(*json); };
  if (std::any_of(run_.filters.begin(), run_.filters.end(), matches)) return true;
  ++run_.counts.filtered;
  FilteredRecord left_out;
  left_out.uuid = run_.mapping.uuid;
  left_out.function_arn = settings_.function_arn;
  left_out.shard_id = shard.shard.id;
  left_out.sequence = sequence_number(record.number);
  for (const RecordFilter& filter : run_.filters) {
    if (auto mismatch = filter.explain(*json)) left_out.mismatches.push_back(*std::move(mismatch));
  }
  left_out.record = record.json;
  filtered_.add(std::move(left_out));
  return false;
}

bool ShardReading::take(const Stream& stream, const StreamChange& change, const ShardRun& shard,
                        Lane& lane) {
  const std::string_view key = change.keys[0].value.bytes();
  if (lane_of(key, lanes_of(settings_)) != lane.index) return true;
  if (lane.gathering.has_all(settings_)) return false;
  if (!lane.gathering.is_empty() && lane.is_after_resumed(change.number)) return false;
  TriggerRecord record{change.number, change.written, {}};
  StreamRecord(stream, change).append_event_json(record.json, run_.mapping.stream_arn);
  if (!passes(record, shard)) return true;
  lane.is_at_border = is_at_border(lane, change.written);
  const std::size_t state_bytes = lane.window ? lane.window->state.size() : 0;
  if (lane.is_at_border || !lane.gathering.takes(record, settings_, state_bytes)) return false;
  // A lane that holds nothing always gets a record, so that no mapping waits for others.
  if (!lane.gathering.is_empty() && room_.held < record.json.size()) return false;
  room_.held -= std::min(room_.held, record.json.size());
  lane.gathering.add(std::move(record), now_);
  return true;
}

// Opens a window with its first record. A record from before the window belongs to it too.
bool ShardReading::is_at_border(Lane& lane, Timestamp written) const {
  if (settings_.tumbling_window_s == 0) return false;
  if (!lane.window) lane.window = window_of(written, settings_.tumbling_window_s);
  return lane.window->is_too_large || written >= lane.window->end;
}

Result<void> ShardReading::end_lane(const ShardRun& shard, Lane& lane) const {
  lane.is_at_end = true;
  if (shard.shard.end) {
    lane.read_next = std::max(lane.read_next, *shard.shard.end + 1);
    return {};
  }
  STATOR_TRY(const std::uint64_t end, streams_.end_of(shard.shard));
  lane.read_next = std::max(lane.read_next, end);
  return {};
}

}  // namespace stator::triggers
