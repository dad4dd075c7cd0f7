// How often throughput may be decreased and a table switched to on-demand mode.
#pragma once

#include <cstdint>
#include <span>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator::capacity {

struct ChangeQuotas {
  std::int64_t decreases_at_once = 4;       // on one UTC day, at any time
  std::int64_t decrease_interval_s = 3600;  // minimum between each further one and the one before
  std::int64_t mode_switches = 4;           // switches to on-demand mode per interval
  std::int64_t mode_switch_interval_s = 86'400;
};

// When the next decrease, of one or both dimensions, is allowed; `now` if at once.
Timestamp next_decrease(const ThroughputHistory& history, Timestamp now,
                        const ChangeQuotas& quotas = {});

// When a table may next be switched to on-demand mode. `switches` are the earlier times, rising.
// Switching back is always allowed.
Timestamp next_on_demand_switch(std::span<const Timestamp> switches, Timestamp now,
                                const ChangeQuotas& quotas = {});

}  // namespace stator::capacity
