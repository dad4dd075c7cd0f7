// Answers to writes of items.
#pragma once

#include <cstdint>

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/operations/items/item_requests.h"
#include "engine/schema/table.h"
#include "protocol/error.h"
#include "protocol/json_writer.h"
#include "protocol/value.h"

namespace stator {

// ConditionalCheckFailedException, with the stored item if that is wanted and there is one.
Error condition_failed(const Decision& decision, bool shows_item, Wording wording);

// The metrics of one item collection, an object. `item_or_key` has at least the partition key.
void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes);

// The answer to a write that was entered.
void render_write(const WriteRequest& request, const Decision& decision, Call& call);

}  // namespace stator
