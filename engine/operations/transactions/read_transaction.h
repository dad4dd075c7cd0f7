// Reads the items of a transaction, for all operations with read transactions.
#pragma once

#include <span>
#include <vector>

#include "engine/call/call.h"
#include "engine/items/stored_item.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"

namespace stator {

// Finds all items before the first is rendered, so that the others are prefetched. Adds their
// capacity. Error: the items are too large together, which cancels the transaction.
Result<std::vector<ItemRead>> read_transaction(std::span<const GetAction> actions,
                                               std::span<const LocatedKey> keys,
                                               const Snapshot& snapshot, Call& call,
                                               TransactionCapacity& capacity);

}  // namespace stator
