// The calls of Poller: which start, and what their ends mean.
#include <algorithm>
#include <utility>

#include "server/log/log.h"
#include "server/triggers/batches/event.h"
#include "server/triggers/batches/failure_message.h"
#include "server/triggers/delivery/poller.h"
#include "streams/sequence_number.h"

namespace stator::triggers {

namespace {

// Calls of mappings that have one in flight already. The rest is for those that have none.
constexpr std::size_t kSharedCallsMax = kCallersMax * 3 / 4;
// Before the next attempt to reach a function, also when functions that fail are called at once.
constexpr std::chrono::milliseconds kReachPauseMin{100};
// The flags name no such function, which only another start changes; but records grow old.
constexpr std::chrono::minutes kMissingPause{1};

std::string_view outcome_word(const CallResult& result, const BatchRun::Outcome& outcome) {
  if (result.kind == CallResult::Kind::ServiceError) return "not reached";
  if (!outcome.has_failed) return "ok";
  return outcome.done > 0 ? "partly failed" : "failed";
}

bool is_ready(const Lane& lane, Timestamp now) {
  return lane.run && lane.call == 0 && (!lane.not_before || *lane.not_before <= now);
}

}  // namespace

// ---- Ends ----

void Poller::end_call(EndedCall& ended, Timestamp now) {
  const auto at = in_flight_.find(ended.id);
  if (at == in_flight_.end()) return;
  InFlight call = std::move(at->second);
  in_flight_.erase(at);
  if (call.note != 0) {
    const CallResult result = read_response(FunctionKind::Api, ended.answer);
    const bool is_sent = result.kind == CallResult::Kind::Answered;
    if (!is_sent) log::error("failure destination: " + result.why);
    return log_.set_delivery(call.note, is_sent ? "sent" : "not sent: " + result.why);
  }
  --calls_[call.target];
  call.invocation.duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - call.started);
  const CallResult result = read_response(call.target->kind, ended.answer);
  call.invocation.log = result.log;
  if (call.event != 0) return end_event(call.event, result, std::move(call.invocation), now);
  const auto run = runs_.find(call.uuid);
  if (run != runs_.end() && run->second.calls > 0) --run->second.calls;
  const auto place = find(call);
  if (place && place->lane.call == ended.id)
    return settle(*place, result, std::move(call.invocation), now);
  // The mapping is gone, or its data went back meanwhile.
  call.invocation.outcome = "outdated";
  call.invocation.status = result.status;
  call.invocation.answer = result.body;
  log_.add(std::move(call.invocation));
}

void Poller::settle(const Place& place, const CallResult& result, Invocation invocation,
                    Timestamp now) {
  auto& [run, shard, lane] = place;
  const MappingSettings& settings = run.mapping.effective(now);
  lane.call = 0;
  lane.call_ended = now;
  lane.busy_since = 0;
  lane.not_before.reset();
  lane.waits_for_runtime = false;
  auto outcome = lane.run->settle(result, settings, lane.window.has_value());
  if (!outcome.state.empty() && lane.window) lane.window->take_state(std::move(outcome.state));
  lane.last_error = outcome.why;
  run.result = outcome.has_failed ? kFunctionCallFailed : kProcessedOk;
  invocation.outcome = outcome_word(result, outcome);
  invocation.why = outcome.why;
  invocation.status = result.status;
  invocation.answer = result.body;
  run.counts.delivered += outcome.done;
  ++run.counts.calls[invocation.outcome];
  if (outcome.discard) discard(place, *outcome.discard, &result, now);
  if (lane.run->is_done()) {
    end_run(place);
  } else {
    lane.next = lane.run->first_number().value_or(lane.next);
    // Another process continues to count the calls.
    lane.must_store = lane.must_store || result.kind != CallResult::Kind::ServiceError;
    const std::chrono::milliseconds pause = pause_after(place, result, invocation.duration);
    if (pause.count() > 0) {
      lane.not_before = now.plus(pause);
      invocation.next_retry = lane.not_before;
    }
  }
  log_.add(std::move(invocation));
}

// Before the next call of a batch that has failed.
std::chrono::milliseconds Poller::pause_after(const Place& place, const CallResult& result,
                                              std::chrono::microseconds duration) {
  const FunctionTarget* const target = place.run.target;
  if (target == nullptr) return kMissingPause;
  const unsigned failures = place.lane.run->failures();
  if (result.kind != CallResult::Kind::ServiceError)
    return retry_pause(parts_.options.retry_backoff, failures);
  return reach_pause(*target, failures, duration, place.lane.waits_for_runtime,
                     place.lane.has_waited);
}

// Before the next attempt to reach a function. `misses`: attempts in vain, one after the other.
std::chrono::milliseconds Poller::reach_pause(const FunctionTarget& target, unsigned misses,
                                              std::chrono::microseconds duration,
                                              bool& waits_for_runtime, bool& has_waited) {
  if (target.kind == FunctionKind::Runtime) {
    const auto called = std::chrono::steady_clock::now() - duration;
    waits_for_runtime = !parts_.runtimes.is_there_or_wanted(target.name, called);
    has_waited = !waits_for_runtime;
    if (waits_for_runtime) return kMissingPause;
  }
  return retry_pause(std::max(parts_.options.retry_backoff, kReachPauseMin), misses);
}

void Poller::end_waits_for_runtimes() {
  const auto lately = std::chrono::steady_clock::now() - Runtimes::kPresence;
  const auto is_there = [&](const FunctionTarget* target) {
    return target != nullptr && target->kind == FunctionKind::Runtime &&
           parts_.runtimes.is_there_or_wanted(target->name, lately);
  };
  for (auto& [number, run] : events_) {
    if (!run.waits_for_runtime || !is_there(run.event.target)) continue;
    run.waits_for_runtime = false;
    run.not_before.reset();
    run.has_waited = true;
  }
  for (auto& [uuid, run] : runs_) {
    if (!is_there(run.target)) continue;
    for (auto& [id, shard] : run.shards) {
      for (Lane& lane : shard.lanes) {
        if (!std::exchange(lane.waits_for_runtime, false)) continue;
        lane.not_before.reset();
        lane.has_waited = true;
      }
    }
  }
}

void Poller::end_run(const Place& place) {
  Lane& lane = place.lane;
  lane.run.reset();
  lane.next = lane.run_end;
  lane.must_store = true;
  lane.not_before.reset();
  if (lane.is_final_call) lane.window.reset();
  lane.is_final_call = false;
  has_more_ = true;
}

void Poller::discard(const Place& place, const Discard& discard, const CallResult* last,
                     Timestamp now) {
  if (discard.records.empty()) return;
  const auto& [run, shard, lane] = place;
  const MappingSettings& settings = run.mapping.effective(now);
  run.counts.discarded += discard.records.size();
  const std::string id = random_.uuid();
  const FailureMessage message{
      id, settings.function_arn, run.mapping.stream_arn, shard.shard.id, now, discard, last};
  FailureNote note;
  note.uuid = run.mapping.uuid;
  note.destination = settings.on_failure;
  note.key = failure_key(note.uuid, shard.shard.id, now, id);
  note.message = failure_message(message, false);
  auto delivery =
      sinks_.deliver(note.destination, note.key,
                     is_bucket(note.destination) ? failure_message(message, true) : note.message);
  note.delivery = std::move(delivery.done);
  const std::uint64_t number = log_.add(std::move(note));
  if (!delivery.call) return;
  const std::uint64_t call = ++last_call_;
  InFlight sent;
  sent.note = number;
  in_flight_.emplace(call, std::move(sent));
  parts_.callers.start(call, *std::move(delivery.call));
}

// ---- Starts ----

// Turns what was gathered into a run when it is time.
void Poller::form_batch(const Place& place, Timestamp now) {
  auto& [run, shard, lane] = place;
  const MappingSettings& settings = run.mapping.effective(now);
  if (lane.run) return;
  if (settings.tumbling_window_s == 0) lane.window.reset();
  const bool is_closed = shard.shard.end && lane.is_at_end;
  const bool is_window_over = lane.window && now >= lane.window->end;
  if (!lane.gathering.is_empty()) {
    const bool goes_out = lane.is_full || lane.gathering.has_all(settings) || is_closed ||
                          is_window_over || lane.is_after_resumed(lane.read_next) ||
                          now >= lane.gathering.due(settings, lane.call_ended);
    if (!goes_out) return;
    lane.run.emplace(lane.gathering.take(), std::exchange(lane.resumed, {}));
    lane.run_end = lane.read_next;
    return;
  }
  lane.next = lane.read_next;
  if (!lane.window) return lane.resumed.clear();
  const bool ends_window = lane.is_at_border || lane.window->is_too_large || is_closed ||
                           (is_window_over && lane.is_at_end);
  if (!ends_window) return;
  lane.run.emplace(std::vector<TriggerRecord>(), std::exchange(lane.resumed, {}));
  lane.run_end = lane.read_next;
  lane.is_final_call = true;
}

// Forms the batches for which it is time, and returns the lanes that can call.
std::vector<Poller::Place> Poller::ready_lanes(Timestamp now) {
  std::vector<Place> ready;
  for (auto& [uuid, run] : runs_) {
    const MappingSettings& settings = run.mapping.effective(now);
    if (!run.mapping.delivers(now)) continue;
    for (auto& [id, shard] : run.shards) {
      if (shard.lanes.size() != lanes_of(settings)) continue;
      for (Lane& lane : shard.lanes) {
        const Place place{run, shard, lane};
        form_batch(place, now);
        if (is_ready(lane, now)) ready.push_back(place);
      }
    }
  }
  return ready;
}

// Mappings without a call come first, then the others, from another one each time.
void Poller::start_calls(Timestamp now) {
  const std::vector<Place> ready = ready_lanes(now);
  if (ready.empty()) return;
  const std::size_t first = first_ready_++;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Place& place = ready[(first + i) % ready.size()];
    if (place.run.calls == 0) start_call(place, now);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Place& place = ready[(first + i) % ready.size()];
    if (is_ready(place.lane, now) && in_flight_.size() < kSharedCallsMax) start_call(place, now);
  }
}

bool Poller::has_slot(const FunctionTarget& target) const {
  if (in_flight_.size() >= kCallersMax) return false;
  const auto found = calls_.find(&target);
  const unsigned calls = found == calls_.end() ? 0 : found->second;
  if (target.kind == FunctionKind::Runtime && !parts_.runtimes.has_room(target.name, calls))
    return false;
  return target.concurrency == 0 || calls < target.concurrency;
}

void Poller::start_call(const Place& place, Timestamp now) {
  auto& [run, shard, lane] = place;
  const MappingSettings& settings = run.mapping.effective(now);
  if (run.target != nullptr && !has_slot(*run.target)) return;
  while (const auto old = lane.run->discard_old(now, settings, run.horizon)) {
    discard(place, *old, nullptr, now);
    lane.must_store = true;
    if (lane.run->is_done()) return end_run(place);
    lane.next = lane.run->first_number().value_or(lane.next);
  }
  Invocation invocation = invocation_of(place, now);
  if (run.target == nullptr) {
    CallResult missing;
    missing.kind = CallResult::Kind::ServiceError;
    missing.why = "no --function names it, so it cannot be called";
    return settle(place, missing, std::move(invocation), now);
  }
  const auto records = lane.run->current();
  std::string event =
      lane.window ? event_of(records, WindowCall{*lane.window, shard.shard.id,
                                                 run.mapping.stream_arn, lane.is_final_call})
                  : event_of(records);
  const std::string request_id = invocation.request_id;
  invocation.event = event.substr(0, kEventShownBytes + 4);  // add() cuts between characters
  const std::uint64_t id = ++last_call_;
  lane.call = id;
  ++run.calls;
  ++calls_[run.target];
  in_flight_.emplace(id, InFlight{run.mapping.uuid, shard.shard.id, lane.index, run.target, 0, 0,
                                  std::chrono::steady_clock::now(), std::move(invocation)});
  AnyCall call = call_of(*run.target, settings.function_arn, request_id, std::move(event));
  const bool has_waited = std::exchange(lane.has_waited, false);
  if (auto* const fetched = std::get_if<RuntimeCall>(&call)) fetched->has_waited = has_waited;
  parts_.callers.start(id, std::move(call));
}

Invocation Poller::invocation_of(const Place& place, Timestamp now) {
  const auto& [run, shard, lane] = place;
  const auto records = lane.run->current();
  Invocation invocation;
  invocation.request_id = random_.uuid();
  invocation.uuid = run.mapping.uuid;
  invocation.function_arn = run.mapping.effective(now).function_arn;
  invocation.shard_id = shard.shard.id;
  invocation.lane = lane.index;
  invocation.records = records.size();
  if (!records.empty()) {
    invocation.first = sequence_number(records.front().number);
    invocation.last = sequence_number(records.back().number);
  }
  invocation.attempt = lane.run->calls() + 1;
  invocation.at = now;
  return invocation;
}

}  // namespace stator::triggers
