// Consumers: which tables have a journal, and for whom (engine/storage/journal.h). Held beside the
// catalog, so that a write of a table that nobody follows costs one look at an empty map.
//
// Immutable once shared: a change makes a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/schema/space.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// The name under which a late global index follows its table, and back; empty: somebody else's
// name.
std::string late_index_consumer(storage::SpaceId index);
std::optional<storage::SpaceId> late_index_of(std::string_view consumer);

class Consumers {
 public:
  static Result<std::shared_ptr<const Consumers>> load(const storage::Transaction& transaction);

  bool empty() const { return by_table_.empty(); }
  bool has_any(storage::SpaceId table) const { return by_table_.contains(number(table)); }
  bool is_late(storage::SpaceId index) const { return late_indexes_.contains(number(index)); }
  // The names of a table's consumers.
  std::set<std::string> of(storage::SpaceId table) const;
  // One that is late, and its table; empty: none is.
  struct LateIndex {
    storage::SpaceId table;
    storage::SpaceId index;
  };
  std::optional<LateIndex> any_late_index() const;

  std::shared_ptr<const Consumers> with(storage::SpaceId table, std::string_view name) const;
  std::shared_ptr<const Consumers> without(storage::SpaceId table, std::string_view name) const;

 private:
  static std::uint32_t number(storage::SpaceId space) { return static_cast<std::uint32_t>(space); }
  void insert(storage::SpaceId table, std::string_view name);

  std::unordered_map<std::uint32_t, std::set<std::string>> by_table_;  // no set is empty
  std::unordered_map<std::uint32_t, storage::SpaceId> late_indexes_;   // to their tables
};

}  // namespace stator
