// Rate: lets at most so many items through a second, whoever asks.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

#include "engine/seams/clock.h"

namespace stator::data {

class Rate {
 public:
  // 0: as many as come.
  explicit Rate(double items_per_s) : items_per_s_{items_per_s}, next_{clock_.steady()} {}

  // Waits until `items` may pass; returns early when interrupted. Safe from any thread.
  void pass(std::size_t items);

 private:
  const double items_per_s_;
  const SystemClock clock_;
  std::mutex mutex_;
  std::chrono::microseconds next_;  // guarded by mutex_
};

}  // namespace stator::data
