// Checks on the keys of requests against the schema of the table and its indexes.
#pragma once

#include "engine/schema/table.h"
#include "engine/state/primary_key.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// The key inside an item to be put: each key attribute is checked for presence, type, emptiness and
// size.
Result<PrimaryKey> key_of_item(const Table& table, Item item);
// The same where a missing or wrong attribute is called no match for the schema (batches).
Result<PrimaryKey> key_of_batch_item(const Table& table, Item item);
// The `Key` of a lookup: exactly the key attributes.
Result<PrimaryKey> key_of_lookup(const Table& table, Item key);
// Index key attributes that the item has must have the right type and not be empty or too long.
Result<void> check_index_keys(const Table& table, Item item);

// The keys that the item has and that have the right type are not empty: those of the table, those
// of its indexes.
Result<void> check_keys_not_empty(const Table& table, Item item_or_key);
Result<void> check_index_keys_not_empty(const Table& table, Item item);

// A key's value may not be an empty string or binary. REQUIRES: it has the key's type.
Result<void> check_key_not_empty(const KeyAttribute& key, const Value& value);
// What the bytes of all partition, or all sort, keys together exceed.
Error partition_key_too_long();
Error sort_key_too_long();

}  // namespace stator
