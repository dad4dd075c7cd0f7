#include "server/triggers/delivery/poller.h"

#include <algorithm>

#include "engine/api/engine.h"
#include "server/log/log.h"
#include "server/triggers/batches/lane_note.h"
#include "streams/sequence_number.h"

namespace stator::triggers {

namespace {

// What one look reads before other work has its turn.
constexpr std::size_t kEntriesPerTurn = 20'000;
constexpr std::size_t kBytesPerTurn = std::size_t{32} << 20;
// What all lanes hold, but for one record each.
constexpr std::size_t kHeldBytesMax = std::size_t{256} << 20;
// Positions that only passed records of others or filtered ones are stored after this many numbers:
// reading them again costs little.
constexpr std::uint64_t kPassedMax = 10'000;
constexpr std::chrono::seconds kReadAgain{1};

}  // namespace

Poller::Poller(const PollerParts& parts)
    : parts_(parts), reader_(parts.engine), sinks_(parts.options) {}

void Poller::turn(Turn turn) {
  const Timestamp now = parts_.engine.clock().now();
  ++turns_;
  has_more_ = false;
  next_due_.reset();
  is_paused_ = turn.is_paused;
  const std::uint64_t calls_before = last_call_;
  for (EndedCall& ended : turn.ended) end_call(ended, now);
  const bool has_settled = std::any_of(runs_.begin(), runs_.end(), [now](const auto& run) {
    return run.second.was_changing && !run.second.mapping.is_changing(now);
  });
  if (turn.is_changed || turn.went_back || must_load_ || has_settled) load(now, turn.went_back);
  // The rollback undid what made them.
  if (turn.went_back) drop_events([](std::string_view /*scope*/) { return true; });
  take_events(std::move(turn.events), now);
  if (turn.has_runtime) end_waits_for_runtimes();
  read(now);
  if (!is_paused_) {
    start_calls(now);
  } else if (const auto ready = ready_lanes(now); turn.has_step && !ready.empty()) {
    start_call(ready.front(), now);
  }
  start_events(now);
  for (auto& [uuid, run] : runs_) store(run);
  judge(now);
  judge_events(now);
  has_called_ = last_call_ != calls_before;
}

void Poller::note_due(Timestamp due) {
  if (!next_due_ || due < *next_due_) next_due_ = due;
}

// ---- Mappings ----

void Poller::load(Timestamp now, bool went_back) {
  must_load_ = false;
  const auto mappings = parts_.store.list();
  if (!mappings) {
    log::error("event source mappings: " + mappings.error().message());
    note_due(now.plus(kReadAgain));
    return;
  }
  for (auto at = runs_.begin(); at != runs_.end();) {
    const bool is_there =
        std::any_of(mappings->begin(), mappings->end(),
                    [&at](const Mapping& mapping) { return mapping.uuid == at->first; });
    at = is_there ? std::next(at) : runs_.erase(at);
  }
  for (const Mapping& mapping : *mappings) {
    const auto loaded = load_mapping(mapping, now, went_back);
    if (loaded) continue;
    // Without its positions it would begin anew.
    log::error("event source mapping " + mapping.uuid + ": " + loaded.error().message());
    runs_.erase(mapping.uuid);
    must_load_ = true;
    note_due(now.plus(kReadAgain));
  }
}

Result<void> Poller::load_mapping(const Mapping& mapping, Timestamp now, bool went_back) {
  const auto [at, is_new] = runs_.try_emplace(mapping.uuid);
  MappingRun& run = at->second;
  run.mapping = mapping;
  run.was_changing = mapping.is_changing(now);
  const MappingSettings& settings = mapping.effective(now);
  run.target = parts_.functions.find(function_name_of(settings.function_arn));
  run.filters.clear();
  for (const std::string& pattern : settings.filters) {
    if (auto filter = compile_filter(pattern)) run.filters.push_back(*std::move(filter));
  }
  STATOR_CHECK(load_positions(run, went_back));
  STATOR_TRY(run.stored_result, parts_.store.result(mapping.uuid));
  if (is_new || went_back) run.result = run.stored_result;
  return {};
}

// Drops shards whose positions are not those that their lanes know. After a rollback drops all:
// what they hold may never have been written, and their times may be of the future.
Result<void> Poller::load_positions(MappingRun& run, bool went_back) {
  STATOR_TRY(const auto positions, parts_.store.positions(run.mapping.uuid));
  run.stored.clear();
  run.removals.clear();
  for (const ShardPosition& position : positions)
    run.stored.emplace(std::pair(position.shard_id, position.lane), position);
  for (auto at = run.shards.begin(); at != run.shards.end();) {
    const bool is_as_known =
        !went_back &&
        std::all_of(at->second.lanes.begin(), at->second.lanes.end(), [&](const Lane& lane) {
          const auto stored = run.stored.find({at->first, lane.index});
          return stored == run.stored.end() ? !lane.stored : lane.stored == stored->second.next;
        });
    if (!is_as_known) {
      at = run.shards.erase(at);
      continue;
    }
    for (const Lane& lane : at->second.lanes) run.stored.erase({at->first, lane.index});
    ++at;
  }
  return {};
}

std::optional<Poller::Place> Poller::find(const InFlight& call) {
  const auto run = runs_.find(call.uuid);
  if (run == runs_.end()) return {};
  const auto shard = run->second.shards.find(call.shard_id);
  if (shard == run->second.shards.end() || call.lane >= shard->second.lanes.size()) return {};
  return Place{run->second, shard->second, shard->second.lanes[call.lane]};
}

// ---- Reading ----

void Poller::read(Timestamp now) {
  ReadingRoom room{kEntriesPerTurn, kBytesPerTurn, kHeldBytesMax, false};
  for (const auto& [uuid, run] : runs_) {
    for (const auto& [id, shard] : run.shards) {
      for (const Lane& lane : shard.lanes) room.held -= std::min(room.held, lane.held_bytes());
    }
  }
  const auto seen = parts_.engine.look(reader_, [&](const Snapshot& snapshot) -> Result<void> {
    for (auto& [uuid, run] : runs_) {
      if (!run.mapping.delivers(now)) continue;
      ShardReading reading(snapshot, run, room, filtered_, now);
      STATOR_CHECK(reading.read());
      run.horizon = reading.horizon();
    }
    return {};
  });
  has_more_ = has_more_ || room.is_short;
  if (seen) return;
  log::error("streams cannot be read for triggers: " + seen.error().message());
  reader_.release();
  note_due(now.plus(kReadAgain));
}

// ---- Positions ----

void Poller::store(MappingRun& run) {
  const bool has_result = run.result != run.stored_result;
  bool must_store = has_result || !run.removals.empty();
  std::vector<PositionChange> changes = std::move(run.removals);
  run.removals.clear();
  const std::size_t removals = changes.size();
  std::vector<Lane*> lanes;
  for (auto& [id, shard] : run.shards) {
    for (Lane& lane : shard.lanes) {
      if (lane.stored == lane.next && !lane.must_store) continue;
      must_store = must_store || lane.must_store || !lane.stored ||
                   lane.next - *lane.stored >= kPassedMax || shard.is_finished();
      ShardPosition position{id, lane.index, lane.next, {}};
      position.note = lane_note({lane.window, lane.run ? lane.run->notes() : lane.resumed});
      changes.push_back({id, lane.index, lane.stored, std::move(position)});
      lanes.push_back(&lane);
    }
  }
  if (!must_store) return;
  const auto outcome = parts_.store.put_positions(
      run.mapping.uuid, changes,
      has_result ? std::optional<std::string_view>(run.result) : std::nullopt);
  if (outcome == PositionsOutcome::Stored) {
    run.stored_result = run.result;
    for (Lane* const lane : lanes) {
      lane->stored = lane->next;
      lane->must_store = false;
    }
    return;
  }
  changes.resize(removals);
  run.removals = std::move(changes);
  const Timestamp now = parts_.engine.clock().now();
  if (outcome == PositionsOutcome::Failed) return note_due(now.plus(kReadAgain));
  has_more_ = true;
  must_load_ = true;
}

// ---- What is left to do ----

void Poller::judge(Timestamp now) {
  statuses_.clear();
  for (auto& [uuid, run] : runs_) {
    MappingStatus status;
    status.uuid = uuid;
    status.function_arn = run.mapping.effective(now).function_arn;
    if (run.mapping.is_changing(now)) note_due(run.mapping.changing_until);
    if (run.mapping.delivers(now)) {
      for (auto& [id, shard] : run.shards) {
        for (Lane& lane : shard.lanes) judge_lane({run, shard, lane}, now, status);
      }
    }
    statuses_.push_back(std::move(status));
  }
}

// A busy lane hides those that wait; the first of those to go on is shown.
void Poller::judge_lane(const Place& place, Timestamp now, MappingStatus& status) {
  using Kind = MappingStatus::Kind;
  Lane& lane = place.lane;
  const MappingSettings& settings = place.run.mapping.effective(now);
  const bool waits = lane.call == 0 && lane.run && lane.not_before && *lane.not_before > now;
  if (is_paused_ && lane.call == 0 && lane.run && !waits) {
    lane.busy_since = 0;
    if (status.kind == Kind::Busy) return;
    status.kind = Kind::Blocked;
    status.why = "deliveries are paused";
    status.until.reset();
    return;
  }
  if (lane.call != 0 || (lane.run && !waits)) {
    if (lane.busy_since == 0) lane.busy_since = turns_;
    const bool is_first = status.busy_since == 0 || lane.busy_since < status.busy_since;
    if (is_first) status.busy_since = lane.busy_since;
    status.kind = Kind::Busy;
    status.why = lane.call != 0 ? "the function is running" : "a call waits for its turn";
    status.until.reset();
    return;
  }
  lane.busy_since = 0;
  const auto tell = [&](std::string why, Timestamp until) {
    note_due(until);
    const bool is_hidden = status.kind == Kind::Busy || (status.kind == Kind::Blocked &&
                                                         (!status.until || *status.until <= until));
    if (is_hidden) return;
    status.kind = Kind::Blocked;
    status.why = std::move(why);
    status.until = until;
  };
  if (waits) return tell(lane.last_error, *lane.not_before);
  if (!lane.gathering.is_empty())
    tell("the batching window is open", lane.gathering.due(settings, lane.call_ended));
  if (lane.window) tell("the tumbling window is open", lane.window->end);
}

}  // namespace stator::triggers
