// Checks the keys of requests against the schema of the table and its indexes.
#pragma once

#include <string_view>

#include "engine/catalog/primary_key.h"
#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/values/value.h"

namespace stator {

// The key inside an item to be put. Checks each key attribute for presence, type, emptiness and
// size.
Result<PrimaryKey> key_of_item(const Table& table, Item item);
// key_of_item() for batches, where a missing or wrong attribute is reported as not matching the
// schema.
Result<PrimaryKey> key_of_batch_item(const Table& table, Item item);
// The `Key` of a lookup: exactly the key attributes.
Result<PrimaryKey> key_of_lookup(const Table& table, Item key);
// Checks that index key attributes of the item have the right type and are neither empty nor too
// long.
Result<void> check_index_keys(const Table& table, Item item);

// Check that key attributes of the right type are not empty: the table's and its indexes', or only
// the indexes'.
Result<void> check_keys_not_empty(const Table& table, Item item_or_key);
Result<void> check_index_keys_not_empty(const Table& table, Item item);

// Of a key that is not just the key attributes with their types.
Error key_mismatch();
// Of a value whose type is not that of the index key.
Error index_key_mismatch(const KeyAttribute& key, Type type, std::string_view index_name);

// Whether the value is an empty string or binary, which no key takes.
bool is_empty_key_value(const Value& value);
// Checks that a key's value is not an empty string or binary. REQUIRES: it has the key's type.
Result<void> check_key_not_empty(const KeyAttribute& key, const Value& value);
// Errors if the bytes of all partition keys, or of all sort keys, exceed the limit.
Error partition_key_too_long();
Error sort_key_too_long();

}  // namespace stator
