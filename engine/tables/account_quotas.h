// Limits for the throughput of a table, and of all tables of an account
// (conformance/observed/capacity.md 5.7).
#pragma once

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// LimitExceededException if `body` requests more throughput than the limits allow. `body` is from a
// CreateTable or an UpdateTable that passed all other checks. `table` is the table to change or,
// without indexes, the table to create.
Result<void> check_account_quotas(const JsonNode& body, const Table& table,
                                  const Snapshot& snapshot);

}  // namespace stator
