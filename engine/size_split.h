// Splits of partitions for size, at the end of the write that made one too large
// (conformance/observed/capacity.md 4.1).
#pragma once

#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/partition_sizes.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// Splits the partition where half of its bytes lie before, and its halves again while they are too
// large: between two items, of a table with local indexes between two collections. Up to 20,000
// records are looked at; of a partition with more the middle of its hashes is taken. One that
// cannot be split stays whole. No-op when the table has gone, or the partition is not too large any
// more.
Result<void> split_for_size(const OversizedPartition& oversized, const Catalog& catalog,
                            const storage::Transaction& transaction, Timestamp now);

}  // namespace stator
