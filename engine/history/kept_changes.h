// A table without a stream may keep its changes for a time, so that the history of its items can be
// shown (engine/reports/views/item_history.h). What it keeps is bounded as streams are
// (StreamLimits::bytes_max), persists, and belongs to the state of a mark.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/schema/space.h"

namespace stator {

class Engine;

// As long as a stream retains its records unless set.
inline constexpr std::chrono::seconds kKeptPeriodMax = std::chrono::hours(24);

enum class KeptOutcome : std::uint8_t { Done, TableGone, NotStored };

// Makes the table keep its changes for that time, from now on; zero ends this. Changes that it has
// kept stay as long as the new time says. Waits for the commit. REQUIRES: at most kKeptPeriodMax.
KeptOutcome keep_changes(Engine& engine, storage::SpaceId table, std::chrono::seconds period);

}  // namespace stator
