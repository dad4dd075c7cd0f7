// HeatWatch: where in a partition its load comes from, to decide whether a split helps and at which
// position.
//
// For each of the last windows it holds the positions requested (a sketch) and the first and last
// of them in key order (exact). A split gains nothing if the partition serves one item, or if
// positions move in one direction from window to window, as with a growing sort key.
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

  // Adds served or throttled units. Drops them if another thread is inside.
  void add(const Place& place, std::int64_t units_milli);

  // Ends the open window. Retains it with the earlier ones if it was hot; otherwise drops all. One
  // thread at a time; add() may run in parallel.
  void end_window(bool was_hot);
  // The position that halves the units of the retained windows, if a split helps.
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
  std::vector<Window> windows_;  // the last one is open; guarded by busy_
};

}  // namespace stator::capacity
