// How much throughput a table, and all tables of an account, may have
// (conformance/observed/capacity.md 5.7).
#pragma once

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// LimitExceededException when `body`, of a CreateTable or an UpdateTable that nothing else refuses,
// asks for more for `table`: the one that it changes, or without indexes the one that it makes.
Result<void> check_account_quotas(const JsonNode& body, const Table& table,
                                  const Snapshot& snapshot);

}  // namespace stator
