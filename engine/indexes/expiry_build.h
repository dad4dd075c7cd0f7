// Expiry build: makes the expiry entries of the items that existed when time to live was enabled;
// in pieces and with a position, like a backfill (backfill.h).
#pragma once

#include "engine/indexes/backfill.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

// Reads the next items of a table, and stages their expiry entries and the table's next state
// (complete, or the position moved) in the mutation. What the mutation refers to lives in `arena`.
// REQUIRES: table.expiry()->build.
Result<void> expiry_build_piece(const storage::Transaction& transaction, const Table& table,
                                const PieceLimits& limits, Mutation& mutation, Arena& arena);

}  // namespace stator
