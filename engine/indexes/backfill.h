// Backfill: fills a global index that UpdateTable added with entries of the items the table has.
//
// It walks the table in the order of the store, a piece per commit, and keeps the key of the last
// item it looked at in the index's IndexBuild. Writes leave items behind that position alone and
// keep entries of items up to it (maintains() in engine/indexes/index_entries.h), so when the walk
// ends the index is what it would be had it always been there. Position and entries are written in
// the same commit: a restart goes on where the last commit ended.
#pragma once

#include <cstddef>

#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/mutation.h"
#include "engine/state/primary_key.h"
#include "engine/storage/transaction.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

// Bounds how long other writes wait for a piece of work in the commit queue.
struct PieceLimits {
  std::size_t records_max = 1000;
  std::size_t bytes_max = 256 * 1024;  // of records; one more record may be begun
};

// The key inside a stored item. Throws storage::DamagedData when there is none.
PrimaryKey key_of_stored(const Table& table, Item item);

// Looks at the next items of a table for its index that is backfilling at `now`, and enters their
// entries and the table's next state (the index done, or its position moved on) into the mutation.
// What the mutation refers to lives in `arena`. Entries are never held back: nothing is changing
// them yet. REQUIRES: the index is one of `table`.
Result<void> backfill_piece(const storage::Transaction& transaction, const Table& table,
                            const GlobalIndex& index, const PieceLimits& limits, Mutation& mutation,
                            Arena& arena);

}  // namespace stator
