// ThrottleLog: which requests were refused for want of throughput, or would have been in the cloud,
// and which changes of throughput because they came too soon.
// One line for a table and a minute of the clock; a summary at the end.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "engine/call/charging.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/schema/runtime.h"
#include "engine/seams/clock.h"
#include "engine/warnings.h"

namespace stator {

class ThrottleLog {
 public:
  explicit ThrottleLog(Warnings& warnings) : warnings_(warnings) {}

  // From any thread; seldom more than a look. Returns when tell_due() has something to tell, if
  // that is new.
  std::optional<Timestamp> note(std::span<const RefusedEvent> refused,
                                std::span<const LimitedEvent> limited);
  std::optional<Timestamp> next_due() const;
  // The lines of minutes that are over.
  void tell_due(Timestamp now);
  // What was not told yet, and all of it together.
  void tell_summary(Timestamp now);

 private:
  using Counts = std::array<std::uint64_t, capacity::kDimensions>;
  using ChangeCounts = std::array<std::uint64_t, kLimitedChanges>;
  struct Minute {
    std::string table_name;
    std::string index_name;  // whose state refused first; empty: the table's
    std::shared_ptr<capacity::ThroughputState> state;
    bool is_enforced = false;
    std::uint64_t number = 0;  // MinuteCount::minute_of()
    Timestamp end;
    Counts refused{};
    ChangeCounts changes{};
    std::set<std::string> changed_indexes;
    std::map<std::string, std::uint64_t, std::less<>> reasons;
  };
  struct Total {
    bool is_enforced = false;
    Counts refused{};
    ChangeCounts changes{};
  };

  // Of the minute that a time lies in, begun if need be: then `begun` knows its end, if that is the
  // earliest. nullptr: there are too many tables.
  Minute* minute_at(const std::shared_ptr<Runtime>& table, const std::string& name, Timestamp at,
                    std::optional<Timestamp>& begun);
  std::string line(const Runtime& table, const Minute& minute, Timestamp now) const;
  static std::string change_line(const Minute& minute);
  void end_minute(const Runtime& table, const Minute& minute, Timestamp now);

  Warnings& warnings_;
  mutable std::mutex mutex_;
  std::map<std::shared_ptr<Runtime>, Minute> minutes_;  // those that are not over
  std::map<std::string, Total> totals_;                 // by table
};

}  // namespace stator
