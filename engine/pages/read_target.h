// The target of a Query or a Scan: a table or one of its indexes, with one interface.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

struct ReadTarget {
  const Table* table = nullptr;
  const LocalIndex* local = nullptr;  // at most one of these two is set
  const GlobalIndex* global = nullptr;

  bool is_index() const { return local != nullptr || global != nullptr; }
  // The index's name. REQUIRES: is_index().
  const std::string& name() const { return local != nullptr ? local->name : global->name; }
  storage::SpaceId space() const;
  // The target's key attributes, in the order of its key schema.
  std::span<const KeyAttribute> partition_keys() const;
  std::span<const KeyAttribute> sort_keys() const;
  bool is_key(std::string_view attribute) const;
  // Whether the target is an index with several partition or sort key attributes.
  bool has_many_keys() const { return partition_keys().size() > 1 || sort_keys().size() > 1; }
  // Whether records have the attribute, or every attribute, of an item that has it.
  bool carries(std::string_view attribute) const;
  bool carries_all() const;

  // Calls `visit` for every key attribute of the target and of its table, each once.
  template <class Visit>
  void for_each_key(Visit&& visit) const {
    for (const KeyAttribute& key : partition_keys()) visit(key);
    for (const KeyAttribute& key : sort_keys()) visit(key);
    if (!is_index()) return;
    if (!is_key(table->partition_key.name)) visit(table->partition_key);
    if (table->sort_key && !is_key(table->sort_key->name)) visit(*table->sort_key);
  }
};

// Of an index that the table does not have. Statements do not name it: `name` is empty.
Error no_such_index(std::string_view name);

// The table, or its index of this name. Errors: no such index, a consistent read of a global index,
// an index still being built.
Result<ReadTarget> find_read_target(const Table& table, std::optional<std::string_view> index_name,
                                    bool is_consistent, Timestamp now);

// The position of a record with these attributes in the target's space. REQUIRES: `key` has the key
// attributes of target and table, with the right types. Lives in the arena or in the item.
storage::StoreKey store_key(const ReadTarget& target, Item key, Arena& arena);

}  // namespace stator
