// Poller: one turn of delivery at a time. A turn takes the ends of calls, reads streams, stores
// positions and starts calls. It waits for commits but for no function.
//
// One thread at a time uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/seams/random.h"
#include "server/triggers/delivery/event_run.h"
#include "server/triggers/delivery/failure_sinks.h"
#include "server/triggers/delivery/filtered_log.h"
#include "server/triggers/delivery/invocation_log.h"
#include "server/triggers/delivery/lanes.h"
#include "server/triggers/delivery/mapping_figures.h"
#include "server/triggers/delivery/shard_reading.h"
#include "server/triggers/functions.h"
#include "server/triggers/invocation/callers.h"
#include "server/triggers/mapping_store.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

// Outlive the poller.
struct PollerParts {
  Engine& engine;
  MappingStore& store;
  const Functions& functions;
  const TriggerOptions& options;
  Callers& callers;
  Runtimes& runtimes;
};

struct EndedCall {
  std::uint64_t id;
  WebAnswer answer;
};

// What a mapping waits for, or an event of Invoke, if it is not done.
struct MappingStatus {
  enum class Kind : std::uint8_t {
    Idle,     // all is delivered
    Busy,     // a call is in flight or can start
    Blocked,  // nothing happens before a time, or without a change from outside
  };
  std::string uuid;  // empty: an event
  std::string function_arn;
  Kind kind = Kind::Idle;
  std::string why;                 // in a few words; empty: idle
  std::optional<Timestamp> until;  // when it goes on by itself
  std::uint64_t busy_since = 0;    // the turn since which a lane waits for one call
};

std::string_view to_text(MappingStatus::Kind kind);
// The members "status", "reason" and "until".
void write_status(JsonWriter& json, const MappingStatus& status);

class Poller {
 public:
  explicit Poller(const PollerParts& parts);

  struct Turn {
    std::vector<EndedCall> ended;
    std::vector<AsyncEvent> events;  // that came
    bool is_changed = false;         // mappings were changed
    bool has_runtime = false;        // a process of a function came that was waited for
    bool went_back = false;          // all data was rolled back to a mark
    bool is_paused = false;          // no call starts
    bool has_step = false;           // but one
  };
  void turn(Turn turn);

  // The turns so far.
  std::uint64_t turns() const { return turns_; }
  // Whether another turn has work to do at once.
  bool has_more() const { return has_more_; }
  // Whether the last turn started a call.
  bool has_called() const { return has_called_; }
  // When the next turn has work to do by itself.
  std::optional<Timestamp> next_due() const { return next_due_; }
  // Also before they were read: what is written meanwhile may be theirs.
  bool has_mappings() const { return must_load_ || !runs_.empty(); }
  const std::vector<MappingStatus>& statuses() const { return statuses_; }
  const InvocationLog& log() const { return log_; }
  const FilteredLog& filtered() const { return filtered_; }
  std::vector<MappingFigures> figures() const;
  // Of the events that are not done.
  EventLoad event_load() const;
  // Forgets events that wait, of scopes that are meant.
  void drop_events(const std::function<bool(std::string_view scope)>& is_meant);
  // The members "paused", "turns", "events" and "mappings" of GET /_stator/triggers.
  void write_mappings(JsonWriter& json) const;

 private:
  struct InFlight {
    std::string uuid;
    std::string shard_id;
    std::uint32_t lane = 0;
    const FunctionTarget* target = nullptr;
    std::uint64_t note = 0;   // of a message's delivery; 0: a call of a function
    std::uint64_t event = 0;  // of Invoke; 0: a batch
    std::chrono::steady_clock::time_point started = {};
    Invocation invocation = {};
  };
  // A lane and what it belongs to.
  struct Place {
    MappingRun& run;
    ShardRun& shard;
    Lane& lane;
  };

  // poller.cpp
  void load(Timestamp now, bool went_back);
  Result<void> load_mapping(const Mapping& mapping, Timestamp now, bool went_back);
  Result<void> load_positions(MappingRun& run, bool went_back);
  void read(Timestamp now);
  void store(MappingRun& run);
  void note_due(Timestamp due);
  void judge(Timestamp now);
  void judge_lane(const Place& place, Timestamp now, MappingStatus& status);
  std::optional<Place> find(const InFlight& call);

  // poller_calls.cpp
  void end_call(EndedCall& ended, Timestamp now);
  void settle(const Place& place, const CallResult& result, Invocation invocation, Timestamp now);
  void end_run(const Place& place);
  void discard(const Place& place, const Discard& discard, const CallResult* last, Timestamp now);
  void form_batch(const Place& place, Timestamp now);
  void start_calls(Timestamp now);
  std::vector<Place> ready_lanes(Timestamp now);
  void start_call(const Place& place, Timestamp now);
  bool has_slot(const FunctionTarget& target) const;
  std::chrono::milliseconds pause_after(const Place& place, const CallResult& result,
                                        std::chrono::microseconds duration);
  std::chrono::milliseconds reach_pause(const FunctionTarget& target, unsigned misses,
                                        std::chrono::microseconds duration, bool& waits_for_runtime,
                                        bool& has_waited);
  void end_waits_for_runtimes();
  Invocation invocation_of(const Place& place, Timestamp now);

  // poller_events.cpp
  void take_events(std::vector<AsyncEvent> events, Timestamp now);
  void start_events(Timestamp now);
  void start_event(std::uint64_t number, EventRun& run, Timestamp now);
  void end_event(std::uint64_t number, const CallResult& result, Invocation invocation,
                 Timestamp now);
  std::optional<std::chrono::milliseconds> event_pause(EventRun& run, const CallResult& result,
                                                       std::chrono::microseconds duration);
  void judge_events(Timestamp now);

  const PollerParts parts_;
  Engine::Reader reader_;
  SystemRandom random_;
  FailureSinks sinks_;
  InvocationLog log_;
  FilteredLog filtered_;
  std::map<std::string, MappingRun, std::less<>> runs_;  // by UUID
  std::map<std::uint64_t, EventRun> events_;             // in their order
  std::uint64_t last_event_ = 0;
  std::unordered_map<std::uint64_t, InFlight> in_flight_;
  std::unordered_map<const FunctionTarget*, unsigned> calls_;  // in flight
  std::uint64_t last_call_ = 0;
  std::uint64_t turns_ = 0;
  std::size_t first_ready_ = 0;  // which lane starts its call first
  bool must_load_ = true;
  bool has_more_ = false;
  bool has_called_ = false;
  bool is_paused_ = false;
  std::optional<Timestamp> next_due_;
  std::vector<MappingStatus> statuses_;
};

}  // namespace stator::triggers
