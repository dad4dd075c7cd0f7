// Timeline: the scheduled changes of a throughput state and the end of its open window, in the
// order of time. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

class Timeline {
 public:
  struct Change {
    enum class What : std::uint8_t { Configure, Warm, Grow, HeatSplit, Boost };
    Timestamp at;
    What what;
    Throughput warm_to = {};
    Position boundary = {};  // HeatSplit: the boundary; Boost: the partition's begin
    Dimension dimension = Dimension::Read;
  };

  Timeline(std::int64_t window_s, Timestamp now);

  // Schedules the persisted changes again. Returns whether there are any.
  bool restore(const PersistedThroughput& persisted);
  // Changes of the same time stay in the order of their scheduling. Above a limit, a Grow replaces
  // and postpones the last one.
  void schedule(Change change);
  void cancel(Change::What what);
  bool has(Change::What what) const;
  bool has_boost(const Position& begin, Dimension dimension) const;

  // When the first change is due; max() if there is none.
  Timestamp next_change() const {
    return changes_.empty() ? Timestamp::max() : changes_.front().at;
  }
  // REQUIRES: there is one.
  Change take_next();

  Timestamp window_end() const { return window_end_; }
  std::int64_t window_us() const { return window_us_; }
  // How long the window has been open at that time.
  std::int64_t open_us(Timestamp at) const {
    return at.unix_us - (window_end_.unix_us - window_us_);
  }
  // Opens the window that contains this time.
  void open_window(Timestamp at);

  // Scheduled changes, by time.
  std::vector<PartitionSplit> heat_splits() const;
  std::vector<ScheduledThroughput> growths() const;
  std::optional<ScheduledThroughput> warming() const;

 private:
  const std::int64_t window_us_;
  Timestamp window_end_;
  std::vector<Change> changes_;  // by time
};

}  // namespace stator::capacity
