// Triggers: calls functions with the records of streams, as the event source mappings ask.
//
// One thread does a turn of the poller whenever there is something to do, and threads of Callers
// make the calls. They start with the first mapping. Between turns the thread sleeps until a commit
// adds records, a mapping is changed, a call ends, something is due or the clock is moved.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/api/engine.h"
#include "engine/call/work.h"
#include "protocol/json/json_writer.h"
#include "server/triggers/delivery/poller.h"
#include "server/triggers/functions.h"
#include "server/triggers/invocation/callers.h"
#include "server/triggers/mapping_store.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

class Triggers final : private ClockWatcher {
 public:
  // All must outlive this. REQUIRES: no call is in flight, here and at the end, and nothing else
  // commits.
  Triggers(Engine& engine, MappingStore& store, const Functions& functions, Runtimes& runtimes,
           const TriggerOptions& options);
  ~Triggers() override;
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;

  // Delivers while this exists. Goes on with what an earlier process left; its end waits for a
  // turn, but for no function: the records of calls in flight come again in the next process.
  class Running {
   public:
    explicit Running(Triggers& triggers) : triggers_(triggers) { triggers_.begin(); }
    ~Running() { triggers_.end(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Triggers& triggers_;
  };

  // Takes an event of Invoke, and calls its function soon. Returns false if there is no room.
  bool take_event(AsyncEvent event);
  // Forgets events that wait, of scopes that are meant.
  void drop_events(const std::function<bool(std::string_view scope)>& is_meant);

  // For those who look. Any thread.
  void write_mappings(JsonWriter& json);
  void write_invocations(JsonWriter& json, std::uint64_t since);
  void write_failures(JsonWriter& json, std::uint64_t since);
  void write_filtered(JsonWriter& json, std::uint64_t since);
  std::vector<MappingFigures> figures();

  enum class Until : std::uint8_t {
    AllDone,     // no mapping is busy
    TakenUp,     // each mapping has looked at what was written before
    CalledOnce,  // each call that is due at the beginning has been made once
  };
  struct Deliveries {
    bool is_settled = false;              // false: the time was over
    std::vector<MappingStatus> statuses;  // of mappings, then of events
  };
  // Waits until what was written before is delivered or waits for a time or a change.
  Deliveries settle(Until until, std::chrono::milliseconds time, StopCondition& stop_condition);

  // While deliveries are paused, no call starts but those of step().
  bool is_paused();
  // Waits until no call is in flight, at most `time`.
  Deliveries pause(std::chrono::milliseconds time, StopCondition& stop_condition);
  void resume();
  // Starts the next call that is due, if there is one, and waits for its end, at most `time`.
  // Writes the member "invocation": the call, or null. REQUIRES: one step at a time, is_paused().
  Deliveries step(std::chrono::milliseconds time, StopCondition& stop_condition, JsonWriter& json);

 private:
  void begin();
  void end();
  void note_growth(bool went_back);
  void note_change();
  void note_runtime();
  // REQUIRES: mutex_ is locked.
  void note_change_locked();
  void note_end(std::uint64_t id, WebAnswer answer);
  // REQUIRES: mutex_ is locked.
  void start_thread() noexcept;
  void run();
  void make_turn(Poller::Turn turn);
  bool is_growth_due() const;
  bool wait(Poller::Turn& turn, std::uint64_t& wanted);
  void clock_moved() noexcept override;
  // REQUIRES: mutex_ is locked.
  void ask_for_turn() {
    ++wanted_;
    changed_.notify_one();
  }
  bool is_done(Until until, std::uint64_t first_turn) const;

  Engine& engine_;
  const Clock& clock_;
  MappingStore& store_;
  Runtimes& runtimes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable turned_;
  // Guarded by mutex_, like the rest up to turns_.
  bool is_running_ = false;
  bool is_changed_ = false;
  bool has_runtime_ = false;
  bool went_back_ = false;
  bool is_paused_ = false;
  bool has_step_ = false;
  bool has_more_ = false;
  std::optional<Timestamp> due_;
  std::vector<EndedCall> ended_;
  std::vector<AsyncEvent> events_;       // that the poller does not have yet
  EventLoad held_;                       // of those that it has
  std::uint64_t wanted_ = 0;             // turns that settle() asked for
  std::uint64_t done_ = 0;               // the last of them that was made
  std::vector<MappingStatus> statuses_;  // after the last turn
  std::uint64_t turns_ = 0;
  std::chrono::steady_clock::time_point growth_due_ = {};  // when a commit counts, the earliest

  std::atomic<bool> has_mappings_{false};  // whether commits wake the thread
  std::atomic<bool> has_grown_{false};

  std::mutex poller_mutex_;  // held during a turn
  Callers callers_;
  Poller poller_;       // guarded by poller_mutex_
  std::thread thread_;  // started under mutex_
};

}  // namespace stator::triggers
