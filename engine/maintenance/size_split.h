// Splits of partitions for size, at the end of the write that made one too large
// (conformance/observed/capacity.md 4.1).
#pragma once

#include "engine/catalog/catalog.h"
#include "engine/seams/clock.h"
#include "engine/state/partition_sizes.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Splits the partition at half of its bytes, and its halves again while they are too large. The
// boundary is between two items, or between two collections if the table has local indexes. Reads
// up to 20,000 records; a partition with more is split at the middle of its hashes. A partition
// that cannot be split stays whole. No-op if the table is deleted, or the partition is no longer
// too large.
Result<void> split_for_size(const OversizedPartition& oversized, const Catalog& catalog,
                            const storage::Transaction& transaction, Timestamp now);

}  // namespace stator
