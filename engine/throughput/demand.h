// Demand: what requests asked of a table or index: units served and throttled, by windows, and the
// keys with most of them.
//
// Counting is safe from any thread and never waits. All other functions: one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/capacity/key_sketch.h"
#include "engine/capacity/partition.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttle_tally.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

// A sketch that its first key creates.
class LateKeySketch {
 public:
  explicit LateKeySketch(std::size_t entries) : entries_(entries) {}
  ~LateKeySketch() { delete sketch(); }
  LateKeySketch(const LateKeySketch&) = delete;
  LateKeySketch& operator=(const LateKeySketch&) = delete;

  void add(const Place& place, std::int64_t units_milli);
  // Null before the first key.
  SharedKeySketch* sketch() const { return sketch_.load(std::memory_order_acquire); }

 private:
  const std::size_t entries_;
  std::atomic<SharedKeySketch*> sketch_{nullptr};  // owned
};

class Demand {
 public:
  Demand() = default;
  ~Demand() { delete tally(); }
  Demand(const Demand&) = delete;
  Demand& operator=(const Demand&) = delete;

  void count_consumed(Dimension dimension, const Place& place, std::int64_t units_milli);
  void count_refused(Dimension dimension, const Place& place, std::int64_t units_milli,
                     std::optional<Limit> by);
  // Units drawn since creation, in both dimensions. Any thread.
  std::int64_t drawn_milli() const;

  // Units consumed in the open window by a partition that was split since.
  void carry(Dimension dimension, std::int64_t units_milli) {
    side(dimension).carried_milli += units_milli;
  }
  // Ends the window, in which the current partitions consumed `partitions_milli`.
  struct Window {
    std::int64_t consumed_milli = 0;
    std::int64_t refused_milli = 0;
    bool is_quiet() const { return consumed_milli == 0 && refused_milli == 0; }
  };
  Window end_window(Dimension dimension, std::int64_t partitions_milli);
  // Halves the counts of keys, at the end of a window.
  void halve_keys();

  // The highest consumption in a window, on demand.
  std::int64_t peak_milli(Dimension dimension) const { return side(dimension).peak_milli; }
  void set_peak(Dimension dimension, std::int64_t units_milli) {
    side(dimension).peak_milli = units_milli;
  }
  using Peaks = std::array<std::int64_t, kDimensions>;
  Peaks peaks_milli() const { return {sides_[0].peak_milli, sides_[1].peak_milli}; }
  void restore_peaks(const Peaks& peaks_milli) {
    for (std::size_t i = 0; i < kDimensions; ++i) sides_[i].peak_milli = peaks_milli[i];
  }

  void report(const std::vector<Partition*>& partitions, std::int64_t window_s,
              ThroughputReport& report) const;
  ThroughputUse use(const std::vector<Partition*>& partitions) const;
  // Changes with each charge that is served or throttled. Any thread.
  std::int64_t counted_milli() const;
  // Returns counts not reported yet and marks them reported.
  UnreportedThrottles take_unreported(const std::vector<Partition*>& partitions);

  // The tally of throttled charges; null until the first one. Any thread. Calls `named` only to
  // create it.
  ThrottleTally* tally() const { return tally_.load(std::memory_order_acquire); }
  template <class Named>
  ThrottleTally& tally(Named named) {
    ThrottleTally* known = tally();
    return known != nullptr ? *known : begin_tally(named());
  }

 private:
  struct Side {
    std::atomic<std::int64_t> consumed_milli{0};
    std::atomic<std::int64_t> refused_milli{0};
    std::array<std::atomic<std::uint64_t>, kLimits> refused{};
    std::array<std::uint64_t, kLimits> refused_reported{};
    std::int64_t refused_before_milli = 0;  // part of refused_milli before the open window
    std::int64_t carried_milli = 0;
    std::int64_t minute_milli = 0;
    std::int64_t peak_milli = 0;
    std::int64_t demand_peak_milli = 0;  // including throttled units
  };
  static constexpr std::size_t kAccessedKeys = 12;
  static constexpr std::size_t kThrottledKeys = 8;

  Side& side(Dimension dimension) { return sides_[static_cast<std::size_t>(dimension)]; }
  const Side& side(Dimension dimension) const {
    return sides_[static_cast<std::size_t>(dimension)];
  }
  ThrottleTally& begin_tally(TallyOf of);

  std::array<Side, kDimensions> sides_;
  LateKeySketch accessed_{kAccessedKeys};
  std::array<LateKeySketch, kDimensions> throttled_{LateKeySketch(kThrottledKeys),
                                                    LateKeySketch(kThrottledKeys)};
  std::atomic<ThrottleTally*> tally_{nullptr};  // owned
};

}  // namespace stator::capacity
