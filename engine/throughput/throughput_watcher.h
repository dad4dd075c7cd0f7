// ThroughputWatcher: persists throughput states, and calls their look() when a change is due.
#pragma once

#include <memory>

#include "engine/seams/clock.h"

namespace stator::capacity {

class ThroughputState;

// Called when a state needs a look(): at once if part of it must be persisted, and at a later time
// if a change is due that should not wait for the next charge.
class ThroughputWatcher {
 public:
  virtual ~ThroughputWatcher() = default;
  // Called from any thread inside a call of the state, which must not be called back.
  virtual void look_at(const std::weak_ptr<ThroughputState>& state, Timestamp at) noexcept = 0;
  // Whether state is persisted. If not, only tables with a stream call look_at(), and not for ends
  // of windows, which the next charge applies.
  virtual bool persists() const noexcept { return true; }
};

}  // namespace stator::capacity
