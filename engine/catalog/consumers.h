// Consumers: which consumers follow which table's journal (engine/storage/stores/journal.h), as the
// tables' next writes need to know. Only the store has their positions. Immutable: a change makes a
// new object, which shares all unchanged parts.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/catalog/shared_map.h"
#include "engine/schema/space.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// The consumer name of a late global index, and the index of a name; empty if the name is not an
// index's.
std::string late_index_consumer(storage::SpaceId index);
std::optional<storage::SpaceId> late_index_of(std::string_view consumer);

// The consumer names of a stream. A disabled stream needs no new entries but retains its old ones:
// it is in the store under the second name, and not a consumer here.
std::string stream_consumer(std::uint64_t stream);
std::string ended_stream_consumer(std::uint64_t stream);
std::optional<std::uint64_t> stream_of(std::string_view consumer);  // from either name

// The consumer name of a Kinesis destination (engine/schema/kinesis.h) by its number, and the
// number of a name.
std::string kinesis_consumer(std::uint64_t destination);
std::optional<std::uint64_t> kinesis_destination_of(std::string_view consumer);

// The consumer name of the point-in-time recovery of a table.
inline constexpr std::string_view kHistoryConsumer = "history";

// The consumer name of a copy of the table's items (engine/state/item_copies.h), by the space that
// they are copied to; and the space of a name, empty if the name is not a copy's. Besides entries
// it retains the records of the space, whatever happens to the table. It may follow a space without
// a journal.
std::string copy_consumer(storage::SpaceId target);
std::optional<storage::SpaceId> copy_target_of(std::string_view consumer);

// The consumer name of a table that keeps its changes for a time on request
// (engine/history/kept_changes.h), by that time; and the time of a name.
std::string kept_changes_consumer(std::chrono::seconds period);
std::optional<std::chrono::seconds> kept_period_of(std::string_view consumer);

class Consumers {
 public:
  static Result<std::shared_ptr<const Consumers>> load(const storage::Transaction& transaction);

  bool empty() const { return by_table_.is_empty(); }
  bool has_any(storage::SpaceId table) const { return by_table_.find(table) != nullptr; }
  bool is_late(storage::SpaceId index) const { return late_indexes_.find(index) != nullptr; }
  // The names of a table's consumers.
  std::set<std::string> of(storage::SpaceId table) const;
  // One late index with its table; empty if none.
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
