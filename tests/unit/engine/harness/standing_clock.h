// StandingClock: waits as the system's clock does, but stands, so that what is left of a wait is
// exact however long the test is kept from running.
#pragma once

#include "engine/seams/clock.h"

namespace stator::test {

class StandingClock final : public Clock {
 public:
  Timestamp now() const override { return {1'790'000'000'000'000}; }
  std::chrono::microseconds steady() const override { return {}; }
  std::optional<std::chrono::microseconds> real_wait(Timestamp due) const override {
    return std::chrono::microseconds(due.unix_us - now().unix_us);
  }
};

}  // namespace stator::test
