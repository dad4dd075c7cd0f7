// Limits for how often a table's throughput is decreased and its mode switched to on demand
// (conformance/observed/capacity.md 5.2, 5.4).
#pragma once

#include "engine/call/charging.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// LimitExceededException if the change in `body` is too early and the table's throughput is
// enforced. `body` is from an UpdateTable that passed all other checks. Records early changes in
// `charging`, also for a table that only observes. REQUIRES: the table's earlier changes are
// complete.
Result<void> check_change_limits(const JsonNode& body, const Table& table, Charging& charging,
                                 Timestamp now);

}  // namespace stator
