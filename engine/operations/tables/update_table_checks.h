// UpdateTable's checks: of the request alone, and against the table (conformance/observed/errors.md
// 12.2, conformance/observed/tables.md 3.1, 4.2–4.4).
#pragma once

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Checks types, constraints, and every rule that needs no table.
Result<void> check_update_request(const JsonNode& body, Call& call);

// Checks the request against the table's settings and state. The operation builds the change.
Result<void> check_update_against(const JsonNode& body, const Table& table, Timestamp now);

// The first member of the request that is not supported, such as ReplicaUpdates; empty if none.
std::string_view unbuilt_member(const JsonNode& body);

// Whether the request does nothing but free space or allow deletion: it disables a stream, removes
// indexes or ends deletion protection.
bool only_frees_space(const JsonNode& body);

}  // namespace stator
