// Answers to writes of items.
#pragma once

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/error.h"

namespace stator {

// ConditionalCheckFailedException, with the stored item if that is wanted and there is one.
Error condition_failed(const Decision& decision, bool shows_item, Wording wording);

// DuplicateItemException: an INSERT found an item.
Error duplicate_item();

// TransactionConflictException: a transaction in flight holds the item.
Error transaction_conflict();

// The answer to a write that was entered.
void render_write(const WriteRequest& request, const Decision& decision, Call& call);

}  // namespace stator
