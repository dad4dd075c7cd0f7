// Where the store has an item whose sort key is too long for one key of the store
// (engine/storage/keys/key_codec.h), now and at a mark.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

// The last key on the way to a record, and the record; empty if the way ends before one.
struct FoundRecord {
  std::string key;
  std::optional<std::string> record;
};

// The record as it was at the first of `marks` (storage::value_at_mark()); now if there are none.
Result<FoundRecord> find_record_at_mark(const storage::Transaction& transaction,
                                        std::span<const std::uint32_t> marks,
                                        const storage::StoreKey& key);

// The key of the item in the table, from the item's record. Empty if the record lacks key
// attributes of the table's types. Views into the record and the arena.
std::optional<storage::StoreKey> key_in_table(const Table& table, std::string_view record,
                                              Arena& arena);

}  // namespace stator
