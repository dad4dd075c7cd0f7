// What maintenance reports to the thread that runs it.
#pragma once

#include <optional>

#include "engine/seams/clock.h"

namespace stator {

// Which chores are left.
struct MaintenanceState {
  bool is_due = false;                // a chore is due now
  bool is_round_open = false;         // one of the round is (Engine::begin_round())
  std::optional<Timestamp> next_due;  // of the chores that are not due: when the first will be
  bool could_not_store = false;       // the last piece, which is retried later
};

}  // namespace stator
