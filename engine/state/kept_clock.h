// KeptClock: how the time of a movable clock passes, kept beside the data so that the next process
// goes on as this one did.
#pragma once

#include <optional>

#include "engine/seams/movable_clock.h"
#include "engine/storage/environment.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// The leader's.
class KeptClock {
 public:
  // Empty: it was never moved.
  static Result<std::optional<ClockPace>> load(const storage::Environment& environment);

  // What load() told, before the rest.
  void begin(const std::optional<ClockPace>& loaded) { stored_ = loaded.value_or(ClockPace()); }

  // Before each commit: written when it is news.
  Result<void> before_commit(const ClockPace& pace, storage::WriteTransaction& transaction);
  void batch_ended(bool committed);

 private:
  ClockPace stored_;
  std::optional<ClockPace> pending_;  // by the batch
};

// Puts a clock that nobody has moved where it is to go on: as `kept` tells it, if anything, with
// what the user chose coming first. `not_before` is how far the data's time has come.
void put_in_place(MovableClock& clock, const std::optional<ClockPace>& kept,
                  const ClockChoice& choice, Timestamp not_before);

}  // namespace stator
