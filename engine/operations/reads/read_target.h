// What a Query or a Scan reads: a table or one of its indexes, seen as one kind of thing.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "engine/storage/item_store.h"
#include "protocol/arena.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

struct ReadTarget {
  const Table* table = nullptr;
  const LocalIndex* local = nullptr;  // at most one of these two
  const GlobalIndex* global = nullptr;

  bool is_index() const { return local != nullptr || global != nullptr; }
  storage::SpaceId space() const;
  // The key attributes of what is read, in the order of its key schema.
  std::span<const KeyAttribute> partition_keys() const;
  std::span<const KeyAttribute> sort_keys() const;
  bool is_key(std::string_view attribute) const;
  // Whether records hold the attribute, or every attribute, of an item that has it.
  bool carries(std::string_view attribute) const;
  bool carries_all() const;
};

// Errors: no such table, no such index, a consistent read of a global index, an index still being
// built.
Result<ReadTarget> find_read_target(std::string_view table_name,
                                    std::optional<std::string_view> index_name,
                                    const Snapshot& snapshot, Call& call);

// The place of a record with these attributes in the target's space. REQUIRES: `key` has the key
// attributes of target and table, with the right types. Lives in the arena or in the item.
storage::StoreKey store_key(const ReadTarget& target, Item key, Arena& arena);

}  // namespace stator
