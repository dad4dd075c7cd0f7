// ExclusiveStartKey and LastEvaluatedKey: where a page begins and where it ended. Both hold the key
// attributes of the table and, when an index is read, those of the index. A start key is a place,
// not an item: there need not be one (any more).
#pragma once

#include <optional>
#include <string_view>

#include "engine/operations/reads/key_range.h"
#include "engine/operations/reads/read_target.h"
#include "engine/storage/item_store.h"
#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator {

// The member's values, or empty without it. Errors: those of the values alone.
Result<std::optional<Item>> read_start_key(const JsonNode& body, Wording wording, Arena& arena);

// Against the key schema; Query and Scan have different texts.
Result<void> check_query_start_key(const ReadTarget& target, Item key);
Result<void> check_scan_start_key(const ReadTarget& target, Item key);

// Whether a query of `range` may begin behind `place`, which is the start key's.
Result<void> check_start_in_range(const ReadTarget& target, const KeyRange& range,
                                  const storage::StoreKey& place);

// The member "LastEvaluatedKey": the key attributes of the last record that was looked at. May use
// the arena for a moment.
void write_last_evaluated_key(JsonWriter& out, const ReadTarget& target, std::string_view record,
                              Arena& scratch);

}  // namespace stator
