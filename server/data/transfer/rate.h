// Rate: limits the items per second of all threads together.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

#include "engine/seams/clock.h"

namespace stator::data {

class Rate {
 public:
  // 0 means no limit.
  explicit Rate(double items_per_s) : items_per_s_{items_per_s}, next_{clock_.steady()} {}

  // Waits until `items` may pass; returns early if interrupted. Any thread may call this.
  void pass(std::size_t items);

 private:
  const double items_per_s_;
  const SystemClock clock_;
  std::mutex mutex_;
  std::chrono::microseconds next_;  // guarded by mutex_
};

}  // namespace stator::data
