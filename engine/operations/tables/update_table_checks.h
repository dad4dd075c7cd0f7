// UpdateTable's checks: those of the request alone, and those against the table
// (conformance/observed/errors.md 12.2, conformance/observed/tables.md 3.1, 4.2–4.4).
#pragma once

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// Types, constraints, and every rule that needs no table.
Result<void> check_update_request(const JsonNode& body, Call& call);

// What the table's settings and state refuse. Building the change is left to the operation.
Result<void> check_update_against(const JsonNode& body, const Table& table, Timestamp now);

// Whether the request adds or removes something that is still to come: indexes, streams, replicas,
// vector indexes.
bool needs_unbuilt(const JsonNode& body);

}  // namespace stator
