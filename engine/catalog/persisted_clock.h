// PersistedClock: persists how the time of a movable clock passes, so that the next process
// continues it.
#pragma once

#include <optional>

#include "engine/seams/movable_clock.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Used by the leader only.
class PersistedClock {
 public:
  // Empty if the clock was never moved.
  static Result<std::optional<ClockPace>> load(const storage::Environment& environment);

  // Takes the result of load(). Call before all others.
  void begin(const std::optional<ClockPace>& loaded) { stored_ = loaded.value_or(ClockPace()); }

  // Call before each commit. Writes only changes.
  Result<void> before_commit(const ClockPace& pace, storage::WriteTransaction& transaction);
  void batch_ended(bool committed);

 private:
  ClockPace stored_;
  std::optional<ClockPace> pending_;  // written by the batch
};

// Sets a clock that was not moved yet to its initial time and rate: from `kept` if any, overridden
// by the user's `choice`. `not_before` is the data's time.
void put_in_place(MovableClock& clock, const std::optional<ClockPace>& kept,
                  const ClockChoice& choice, Timestamp not_before);

}  // namespace stator
