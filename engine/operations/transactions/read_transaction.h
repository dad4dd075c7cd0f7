// What transactions that read find, whatever they were asked for in.
#pragma once

#include <span>
#include <vector>

#include "engine/call/call.h"
#include "engine/items/stored_item.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/state/snapshot.h"
#include "protocol/result.h"

namespace stator {

// All items are found before the first is rendered: by then the rest is on its way from memory.
// Adds what that consumes. Errors: the transaction is cancelled because they are too large
// together.
Result<std::vector<ItemRead>> read_transaction(std::span<const GetAction> actions,
                                               std::span<const LocatedKey> keys,
                                               const Snapshot& snapshot, Call& call,
                                               TransactionCapacity& capacity);

}  // namespace stator
