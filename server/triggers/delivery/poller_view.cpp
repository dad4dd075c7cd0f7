// What Poller shows of itself.
#include <algorithm>

#include "engine/seams/iso_time.h"
#include "server/triggers/delivery/poller.h"
#include "streams/sequence_number.h"

namespace stator::triggers {

namespace {

// How long ago the first record was written that the lane holds; 0 without one.
std::chrono::microseconds lag_of(const Lane& lane, Timestamp now) {
  const auto records = lane.run ? lane.run->current() : std::span(lane.gathering.records());
  if (records.empty()) return {};
  const std::int64_t age_us = now.unix_us - records.front().written.unix_us;
  return std::chrono::microseconds(std::max<std::int64_t>(age_us, 0));
}

// REQUIRES: the lane has not settled all.
void write_lane(JsonWriter& json, const Lane& lane, Timestamp now) {
  json.begin_object();
  json.member("lane", std::int64_t{lane.index});
  json.member("next", sequence_number(lane.next));
  const bool waits = lane.run && lane.call == 0 && lane.not_before && *lane.not_before > now;
  json.member("state", lane.call != 0              ? "calling"
                       : waits                     ? "waiting"
                       : lane.run                  ? "ready"
                       : lane.gathering.is_empty() ? "idle"
                                                   : "gathering");
  const auto records = lane.run ? lane.run->current() : std::span(lane.gathering.records());
  json.member("records", static_cast<std::int64_t>(records.size()));
  if (!records.empty()) json.member("lag_s", std::int64_t{lag_of(lane, now).count() / 1'000'000});
  if (lane.run) json.member("attempts", std::int64_t{lane.run->calls()});
  if (waits) json.member("until", iso_extended(*lane.not_before));
  if (lane.window) json.member("windowEnd", iso_extended(lane.window->end));
  if (!lane.last_error.empty()) json.member("error", lane.last_error);
  json.end_object();
}

void write_counts(JsonWriter& json, const MappingCounts& counts) {
  json.member("delivered", static_cast<std::int64_t>(counts.delivered));
  json.member("filtered", static_cast<std::int64_t>(counts.filtered));
  json.member("discarded", static_cast<std::int64_t>(counts.discarded));
  json.key("calls");
  json.begin_object();
  for (const auto& [outcome, count] : counts.calls)
    json.member(outcome, static_cast<std::int64_t>(count));
  json.end_object();
}

void write_shards(JsonWriter& json, const MappingRun& run, Timestamp now) {
  json.key("shards");
  json.begin_array();
  for (const auto& [id, shard] : run.shards) {
    if (shard.is_finished()) continue;
    json.begin_object();
    json.member("shardId", id);
    json.member("isClosed", shard.shard.end.has_value());
    json.key("lanes");
    json.begin_array();
    for (const Lane& lane : shard.lanes) write_lane(json, lane, now);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_runtimes(JsonWriter& json, Runtimes& runtimes, std::string_view function) {
  json.member("runtimes", static_cast<std::int64_t>(runtimes.processes(function)));
  const std::string error = runtimes.init_error(function);
  if (!error.empty()) json.member("initError", error);
}

}  // namespace

std::string_view to_text(MappingStatus::Kind kind) {
  switch (kind) {
    case MappingStatus::Kind::Idle:
      return "idle";
    case MappingStatus::Kind::Busy:
      return "busy";
    case MappingStatus::Kind::Blocked:
      break;
  }
  return "blocked";
}

void write_status(JsonWriter& json, const MappingStatus& status) {
  json.member("status", to_text(status.kind));
  if (!status.why.empty()) json.member("reason", status.why);
  if (status.until) json.member("until", iso_extended(*status.until));
}

std::vector<MappingFigures> Poller::figures() const {
  const Timestamp now = parts_.engine.clock().now();
  std::vector<MappingFigures> all;
  for (const auto& [uuid, run] : runs_) {
    MappingFigures figures{uuid, run.mapping.effective(now).function_arn, run.counts};
    for (const auto& [id, shard] : run.shards) {
      for (const Lane& lane : shard.lanes) figures.lag = std::max(figures.lag, lag_of(lane, now));
    }
    all.push_back(std::move(figures));
  }
  return all;
}

void Poller::write_mappings(JsonWriter& json) const {
  const Timestamp now = parts_.engine.clock().now();
  json.member("paused", is_paused_);
  json.member("turns", static_cast<std::int64_t>(turns_));
  json.member("events", static_cast<std::int64_t>(events_.size()));
  json.key("mappings");
  json.begin_array();
  for (const auto& [uuid, run] : runs_) {
    const MappingSettings& settings = run.mapping.effective(now);
    json.begin_object();
    json.member("mapping", uuid);
    json.member("function", settings.function_arn);
    json.member("stream", run.mapping.stream_arn);
    json.member("state", to_text(run.mapping.state(now)));
    json.member("lastProcessingResult", run.result);
    json.member("hasFunction", run.target != nullptr);
    if (run.target != nullptr && run.target->kind == FunctionKind::Runtime)
      write_runtimes(json, parts_.runtimes, run.target->name);
    json.member("hasStream", run.has_stream);
    const auto status =
        std::find_if(statuses_.begin(), statuses_.end(),
                     [&uuid = uuid](const MappingStatus& other) { return other.uuid == uuid; });
    if (status != statuses_.end()) write_status(json, *status);
    write_counts(json, run.counts);
    write_shards(json, run, now);
    json.end_object();
  }
  json.end_array();
}

}  // namespace stator::triggers
