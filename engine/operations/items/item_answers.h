// Responses to writes of items.
#pragma once

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/errors/error.h"

namespace stator {

// The part of the item that the update changes, before or after it; may be empty. REQUIRES: the
// decision is that update's, and its condition holds.
Item updated_part(const expr::Update& update, bool is_old, const Decision& decision, Arena& arena);

// ConditionalCheckFailedException, with the stored item if requested and present.
Error condition_failed(const Decision& decision, bool shows_item, Wording wording);

// DuplicateItemException: an INSERT found an item.
Error duplicate_item();

// TransactionConflictException: a transaction in flight holds the item.
Error transaction_conflict();

// Renders the response to a staged write.
void render_write(const WriteRequest& request, const Decision& decision, Call& call);

}  // namespace stator
