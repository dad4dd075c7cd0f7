// The counters in Meta: numbers of tables and indexes, nodes and changes; and the statistics of
// spaces.
#pragma once

#include <cstdint>

#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/keys.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// The number to assign next; 1 before the first. A number is never assigned twice.
Result<std::uint64_t> next_number(const Transaction& transaction, MetaKey counter);
Result<void> put_next_number(WriteTransaction& transaction, MetaKey counter, std::uint64_t next);
// Returns the next number and advances the counter.
Result<std::uint64_t> take_number(WriteTransaction& transaction, MetaKey counter);

// Allocates the number of a new space. It is never reused, so that a chore can remove the records
// of a dropped space at any time.
Result<SpaceId> take_space(WriteTransaction& transaction);

// What is recorded of a space; zeros if nothing is.
Result<SpaceStats> find_stats(const Transaction& transaction, SpaceId space);

}  // namespace stator::storage
