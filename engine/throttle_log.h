// ThrottleLog: which requests were refused for want of throughput, or would have been in the cloud,
// and which changes of throughput because they came too soon.
// One line for a table and a minute of the clock; a summary at the end.
//
// Requests are counted where they are charged, by atomics of the table and its indexes
// (engine/capacity). Here they only enter who refused in a list, once a minute and without a lock
// (throttle_tally.h); what is told is read when the minute is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/call/charging.h"
#include "engine/call/settings.h"
#include "engine/figures.h"
#include "engine/schema/runtime.h"
#include "engine/seams/clock.h"
#include "engine/throttle_text.h"
#include "engine/warnings.h"

namespace stator {

class ThrottleLog {
 public:
  ThrottleLog(Warnings& warnings, Isolation isolation)
      : warnings_(warnings), isolation_(isolation) {}
  ~ThrottleLog();
  ThrottleLog(const ThrottleLog&) = delete;
  ThrottleLog& operator=(const ThrottleLog&) = delete;

  // From any thread, when the refused events are counted; of requests it takes no lock. Returns
  // when tell_due() has something to tell, if that is sooner than what was due before.
  std::optional<Timestamp> note(std::span<const RefusedEvent> refused,
                                std::span<const LimitedEvent> limited);
  std::optional<Timestamp> next_due() const;
  // The lines of minutes that are over.
  void tell_due(Timestamp now);
  // What was not told yet, and all of it together.
  void tell_summary(Timestamp now);

 private:
  // By name, and of tables of the same name that came after each other.
  using Key = std::pair<TableLabel, const Runtime*>;
  // What a table is to be told of when the minute is over. Most of it stands in its tallies.
  struct Minute {
    std::shared_ptr<Runtime> table;
    bool is_enforced = false;
    Timestamp first;  // is in it
    std::vector<std::shared_ptr<capacity::ThroughputState>> refusing;
    throttle_text::ChangeCounts changes{};
    std::set<std::string> changed_indexes;
  };

  bool enter(const std::shared_ptr<capacity::ThroughputState>& state, const RefusedEvent& event);
  bool is_sooner(Timestamp due);
  void note_change(const LimitedEvent& event);
  // Under the mutex.
  Minute* find_minute(const TableLabel& label, const std::shared_ptr<Runtime>& table, Timestamp at,
                      bool is_enforced);
  void take_entered();
  void tell_requests(const TableLabel& label, const Minute& minute, throttle_text::Total& total,
                     Timestamp now);
  void end_minute(const TableLabel& label, const Minute& minute, Timestamp now);

  Warnings& warnings_;
  const Isolation isolation_;
  std::atomic<capacity::ThrottleTally*> entered_{nullptr};  // the last one
  std::atomic<std::size_t> entered_count_{0};               // and those that are not told yet
  std::atomic<std::int64_t> due_us_{Timestamp::max().unix_us};

  std::mutex mutex_;
  std::map<Key, Minute> minutes_;  // those that are not over
  std::map<TableLabel, throttle_text::Total> totals_;
};

}  // namespace stator
