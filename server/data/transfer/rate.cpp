#include "server/data/transfer/rate.h"

#include <algorithm>

#include "server/data/transfer/interrupt.h"

namespace stator::data {

void Rate::pass(std::size_t items) {
  if (items_per_s_ <= 0) return;
  std::chrono::microseconds wait{};
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.steady();
    const std::chrono::duration<double> cost{static_cast<double>(items) / items_per_s_};
    wait = std::max(next_ - now, std::chrono::microseconds{0});
    next_ = std::max(next_, now) + std::chrono::duration_cast<std::chrono::microseconds>(cost);
  }
  if (wait.count() > 0)
    wait_interrupted(std::chrono::duration_cast<std::chrono::milliseconds>(wait));
}

}  // namespace stator::data
