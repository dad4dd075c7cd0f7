// Runtime: what changes beside a table or a global index while the process runs and is never
// stored. Tables are immutable; all versions of one share its Runtime, and so do those of an index.
// One made anew, even of the same name, gets another, and a restart makes all of them new.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "engine/seams/clock.h"

namespace stator {

struct Runtime {
  static constexpr std::size_t kChoreKindsMax = 10;

  // A table's: no sweep of its expired items before (engine/maintenance/expiry_sweep.cpp); the
  // leader's of the commit queue.
  Timestamp next_expiry_sweep;

  // By kind, when the chore bound to this is due, as the list of chores has it
  // (engine/maintenance/chore_list.h, whose lock guards it); empty: it is not entered.
  std::array<std::optional<Timestamp>, kChoreKindsMax> chores_due;
};

}  // namespace stator
