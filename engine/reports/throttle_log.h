// ThrottleLog: logs requests that were throttled or observed above a throughput limit, and changes
// of throughput that came too early. Writes one line per table and minute of the clock, and a
// summary at the end.
//
// Requests are counted where they are charged, by atomics of the table and its indexes
// (engine/capacity). Here a table or index only enters a list, once a minute and without a lock
// (throttle_tally.h); its counts are read when the minute is over.
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
#include "engine/capacity/throttle_tally.h"
#include "engine/reports/figures.h"
#include "engine/reports/throttle_text.h"
#include "engine/reports/warnings.h"
#include "engine/schema/runtime.h"
#include "engine/seams/clock.h"

namespace stator {

class ThrottleLog {
 public:
  ThrottleLog(Warnings& warnings, Isolation isolation)
      : warnings_(warnings), isolation_(isolation) {}
  ~ThrottleLog();
  ThrottleLog(const ThrottleLog&) = delete;
  ThrottleLog& operator=(const ThrottleLog&) = delete;

  // Call after the refused events were counted; any thread. Takes no lock for requests. Returns the
  // time at which log_due() has a line to write, if it is earlier than before.
  std::optional<Timestamp> note(std::span<const RefusedEvent> refused,
                                std::span<const EarlyChange> limited);
  std::optional<Timestamp> next_due() const;
  // Writes the lines of minutes that are over.
  void log_due(Timestamp now);
  // Writes the remaining lines and the summary.
  void log_summary(Timestamp now);

 private:
  // Distinguishes tables of the same name that existed one after the other.
  using Key = std::pair<TableLabel, const TableRuntime*>;
  // What to log of a table when the minute is over. Most of it is in the tallies.
  struct Minute {
    std::shared_ptr<TableRuntime> table;
    bool is_enforced = false;
    Timestamp first;  // is in it
    std::vector<std::shared_ptr<capacity::ThroughputState>> refusing;
    throttle_text::ChangeCounts changes{};
    std::set<std::string> changed_indexes;
  };

  bool enter(const std::shared_ptr<capacity::ThroughputState>& state, const RefusedEvent& event);
  bool is_sooner(Timestamp due);
  void note_change(const EarlyChange& event);
  // REQUIRES: the mutex is held.
  Minute* find_minute(const TableLabel& label, const std::shared_ptr<TableRuntime>& table,
                      Timestamp at, bool is_enforced);
  void take_entered();
  void tell_requests(const TableLabel& label, const Minute& minute, throttle_text::Total& total,
                     Timestamp now);
  void end_minute(const TableLabel& label, const Minute& minute, Timestamp now);

  Warnings& warnings_;
  const Isolation isolation_;
  std::atomic<capacity::ThrottleTally*> entered_{nullptr};  // the last one
  std::atomic<std::size_t> entered_count_{0};  // length of that list, and tallies not logged yet
  std::atomic<std::int64_t> due_us_{Timestamp::max().unix_us};

  std::mutex mutex_;
  std::map<Key, Minute> minutes_;  // those that are not over
  std::map<TableLabel, throttle_text::Total> totals_;
};

}  // namespace stator
