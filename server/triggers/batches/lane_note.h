// What a position stores beside its number, so that another process goes on where this one ended:
// the tumbling window, and how often the parts of the batch were called with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/triggers/batches/batch_run.h"
#include "server/triggers/batches/window.h"

namespace stator::triggers {

struct LaneNote {
  std::optional<TumblingWindow> window = {};
  std::vector<PieceNote> pieces = {};
};

// JSON; empty if the note has nothing. A state that is too large is left out.
std::string lane_note(const LaneNote& note);
// Leaves out what it cannot read.
LaneNote read_lane_note(std::string_view text);

}  // namespace stator::triggers
