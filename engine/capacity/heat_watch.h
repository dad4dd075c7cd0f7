// HeatWatch: where the heat of one partition comes from, to see whether a split would help and
// where.
//
// For each of the last windows it keeps the places asked for (a sketch) and the first and the last
// of them in order (exactly). A partition that serves one item, or whose places move on in one
// direction from window to window, as with a growing sort key, would gain nothing by a split.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/capacity/key_sketch.h"
#include "engine/capacity/place.h"

namespace stator::capacity {

class HeatWatch {
 public:
  explicit HeatWatch(std::size_t windows) : windows_max_(windows) { windows_.emplace_back(); }

  // Served or refused. From any thread; left out while another is at it.
  void add(const Place& place, std::int64_t units_milli);

  // By one thread at a time, beside add(): the open window is over. It is kept behind those before
  // it when it was hot; otherwise all are forgotten.
  void end_window(bool was_hot);
  // The place that has half of the units of the kept windows before it, if a split helps.
  std::optional<Position> split_point() const;

 private:
  struct Window {
    static constexpr std::size_t kEntries = 32;
    KeySketch places{kEntries, kPositionSortBytesMax};
    Position first;
    Position last;
  };
  void lock() const {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() const { busy_.clear(std::memory_order_release); }
  bool is_sequential() const;

  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::size_t windows_max_;
  std::vector<Window> windows_;  // the last one is open; whoever has set busy_
};

}  // namespace stator::capacity
