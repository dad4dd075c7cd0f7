// The events of Invoke that Poller calls functions with. They are in memory alone.
#include <algorithm>
#include <utility>

#include "server/log/log.h"
#include "server/triggers/batches/batch_run.h"
#include "server/triggers/delivery/poller.h"

namespace stator::triggers {

namespace {

// At a time; the rest is for batches.
constexpr std::size_t kEventCallsMax = kCallersMax / 2;
// As in the cloud: two more attempts, the first after a minute, the second after two.
constexpr unsigned kEventRetriesMax = 2;
constexpr std::chrono::minutes kEventPause{1};
constexpr std::chrono::hours kEventAgeMax{6};

bool is_due(const EventRun& run, Timestamp now) {
  return run.call == 0 && (!run.not_before || *run.not_before <= now);
}

void tell_given_up(const EventRun& run, std::string_view why) {
  std::string line("the event ");
  line.append(run.event.request_id).append(" of ").append(run.event.function_arn);
  log::warn(line.append(" is given up: ").append(why));
}

}  // namespace

EventLoad Poller::event_load() const {
  EventLoad load;
  for (const auto& [number, run] : events_) load.add(run.event);
  return load;
}

void Poller::drop_events(const std::function<bool(std::string_view scope)>& is_meant) {
  std::erase_if(events_, [&](const auto& entry) {
    return entry.second.call == 0 && is_meant(entry.second.event.scope);
  });
}

void Poller::take_events(std::vector<AsyncEvent> events, Timestamp now) {
  for (AsyncEvent& event : events)
    events_.emplace(++last_event_, EventRun{.event = std::move(event), .accepted = now});
}

// An older event goes first.
void Poller::start_events(Timestamp now) {
  std::size_t calls = static_cast<std::size_t>(std::count_if(
      events_.begin(), events_.end(), [](const auto& entry) { return entry.second.call != 0; }));
  for (auto at = events_.begin(); at != events_.end();) {
    EventRun& run = at->second;
    if (is_due(run, now) && now > run.accepted.plus(kEventAgeMax)) {
      tell_given_up(run, "it is too old");
      at = events_.erase(at);
      continue;
    }
    if (calls < kEventCallsMax && is_due(run, now) && has_slot(*run.event.target)) {
      start_event(at->first, run, now);
      ++calls;
    }
    ++at;
  }
}

void Poller::start_event(std::uint64_t number, EventRun& run, Timestamp now) {
  InFlight flight;
  flight.event = number;
  flight.target = run.event.target;
  flight.started = std::chrono::steady_clock::now();
  flight.invocation.request_id = run.event.request_id;
  flight.invocation.function_arn = run.event.function_arn;
  flight.invocation.attempt = run.failures + 1;
  flight.invocation.at = now;
  flight.invocation.event = run.event.event.substr(0, kEventShownBytes + 4);  // add() cuts
  AnyCall call = call_of(run.event);
  const bool has_waited = std::exchange(run.has_waited, false);
  if (auto* const fetched = std::get_if<RuntimeCall>(&call)) fetched->has_waited = has_waited;
  const std::uint64_t id = ++last_call_;
  run.call = id;
  run.not_before.reset();
  ++calls_[run.event.target];
  in_flight_.emplace(id, std::move(flight));
  parts_.callers.start(id, std::move(call));
}

void Poller::end_event(std::uint64_t number, const CallResult& result, Invocation invocation,
                       Timestamp now) {
  const auto at = events_.find(number);
  if (at == events_.end()) return;
  EventRun& run = at->second;
  run.call = 0;
  run.busy_since = 0;
  run.last_error = result.why;
  const bool is_done = result.kind == CallResult::Kind::Answered;
  const bool is_missed = result.kind == CallResult::Kind::ServiceError;
  invocation.outcome = is_done ? "ok" : is_missed ? "not reached" : "failed";
  invocation.why = result.why;
  invocation.status = result.status;
  invocation.answer = result.body;
  const auto pause = is_done ? std::nullopt : event_pause(run, result, invocation.duration);
  if (pause) {
    if (pause->count() > 0) run.not_before = now.plus(*pause);
    invocation.next_retry = now.plus(*pause);
  } else {
    if (!is_done) tell_given_up(run, run.last_error);
    events_.erase(at);
  }
  log_.add(std::move(invocation));
}

// Before the next attempt; empty: this was the last one.
std::optional<std::chrono::milliseconds> Poller::event_pause(EventRun& run,
                                                             const CallResult& result,
                                                             std::chrono::microseconds duration) {
  if (result.kind == CallResult::Kind::ServiceError) {
    ++run.misses;
    return reach_pause(*run.event.target, run.misses, duration, run.waits_for_runtime,
                       run.has_waited);
  }
  run.misses = 0;
  if (++run.failures > kEventRetriesMax) return {};
  if (parts_.options.retry_backoff.count() == 0) return std::chrono::milliseconds{0};
  return kEventPause * run.failures;
}

void Poller::judge_events(Timestamp now) {
  for (auto& [number, run] : events_) {
    MappingStatus status;
    status.function_arn = run.event.function_arn;
    if (run.call != 0 || is_due(run, now)) {
      if (run.busy_since == 0) run.busy_since = turns_;
      status.kind = MappingStatus::Kind::Busy;
      status.why = run.call != 0 ? "the function is running" : "a call waits for its turn";
      status.busy_since = run.busy_since;
    } else {
      run.busy_since = 0;
      status.kind = MappingStatus::Kind::Blocked;
      status.why = run.last_error;
      status.until = run.not_before;
      note_due(*run.not_before);
    }
    statuses_.push_back(std::move(status));
  }
}

}  // namespace stator::triggers
