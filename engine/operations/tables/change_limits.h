// How often a table's throughput may be lowered, and its mode changed to on demand
// (conformance/observed/capacity.md 5.2, 5.4).
#pragma once

#include "engine/call/charging.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// LimitExceededException when `body`, of an UpdateTable that nothing else refuses, comes too soon
// and the table's throughput is enforced. `charging` takes what comes too soon, also of a table
// that only observes. REQUIRES: the table's changes before it are done.
Result<void> check_change_limits(const JsonNode& body, const Table& table, Charging& charging,
                                 Timestamp now);

}  // namespace stator
