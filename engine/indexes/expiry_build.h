// Expiry build: makes the expiry entries of the items that a table had when time to live was
// enabled; in pieces and with a position, like a backfill (backfill.h).
#pragma once

#include "engine/indexes/backfill.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/storage/transaction.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

// Looks at the next items of a table, and enters their expiry entries and the table's next state
// (done, or the position moved on) into the mutation. What that refers to lives in `arena`.
// REQUIRES: table.expiry()->build.
Result<void> expiry_build_piece(const storage::Transaction& transaction, const Table& table,
                                const PieceLimits& limits, Mutation& mutation, Arena& arena);

}  // namespace stator
