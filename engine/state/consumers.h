// Consumers: who follows which table's journal (engine/storage/journal.h), as the tables' next
// writes need to know it. Their positions are in the store alone. Immutable: a change makes a new
// one, which shares what did not change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/state/shared_map.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// The name under which a late global index follows its table, and back; empty: somebody else's
// name.
std::string late_index_consumer(storage::SpaceId index);
std::optional<storage::SpaceId> late_index_of(std::string_view consumer);

// The same of a stream. One that is disabled wants nothing new, but keeps what it has: it stands in
// the store under the second name, and is no consumer here.
std::string stream_consumer(std::uint64_t stream);
std::string ended_stream_consumer(std::uint64_t stream);
std::optional<std::uint64_t> stream_of(std::string_view consumer);  // of either name

class Consumers {
 public:
  static Result<std::shared_ptr<const Consumers>> load(const storage::Transaction& transaction);

  bool empty() const { return by_table_.is_empty(); }
  bool has_any(storage::SpaceId table) const { return by_table_.find(table) != nullptr; }
  bool is_late(storage::SpaceId index) const { return late_indexes_.find(index) != nullptr; }
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
  void insert(storage::SpaceId table, std::string_view name);

  SharedMap<storage::SpaceId, std::set<std::string>> by_table_;  // no set is empty
  SharedMap<storage::SpaceId, storage::SpaceId> late_indexes_;   // to their tables
};

}  // namespace stator
