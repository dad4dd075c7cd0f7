// Backfill: fills a global index that UpdateTable added with entries of the table's existing items.
//
// It walks the table in the order of the store, one piece per commit, and stores the key of the
// last item read in the index's IndexBuild. Writes ignore the index for items after that position
// and maintain the entries of items up to it (maintains() in engine/indexes/index_entries.h). So at
// the end of the walk the index is as if it had always existed. Position and entries are written in
// the same commit: after a restart the walk continues where the last commit ended.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/catalog/catalog.h"
#include "engine/catalog/primary_key.h"
#include "engine/seams/clock.h"
#include "engine/state/mutation.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

// Bounds one piece, and so how long other writes wait.
struct PieceLimits {
  std::size_t records_max = 1000;
  std::size_t bytes_max = 256 * 1024;  // of records; one more record may be started

  // The limits of each of `count` pieces that share these. REQUIRES: count > 0.
  PieceLimits shared_by(std::size_t count) const {
    return {std::max<std::size_t>(1, records_max / count), bytes_max / count};
  }
};

// The key of a stored item. Throws storage::DamagedData if it has none.
PrimaryKey key_of_stored(const Table& table, Item item);

// Reads the next items of a table for its index that is backfilling at `now`, and stages their
// entries and the table's next state (the index complete, or its position moved) in the mutation.
// What the mutation refers to lives in `arena`. Entries are never delayed here. REQUIRES: the index
// is one of `table`.
Result<void> backfill_piece(const storage::Transaction& transaction, const Table& table,
                            const GlobalIndex& index, const PieceLimits& limits, Mutation& mutation,
                            Arena& arena);

}  // namespace stator
