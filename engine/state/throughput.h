// Throughput states of tables and their indexes: created with them, updated when their descriptions
// change.
#pragma once

#include <memory>
#include <optional>

#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "engine/storage/environment/transaction.h"
#include "engine/throughput/throughput_state.h"
#include "engine/throughput/throughput_values.h"
#include "protocol/errors/result.h"

namespace stator {

// The capacity settings in the table's description: of `index`, or of the table itself if nullptr.
capacity::CapacitySettings capacity_settings(const Table& table, const GlobalIndex* index);

// Creates the missing states of the table and its indexes, watched by `watcher` unless nullptr. For
// servers that count throughput. REQUIRES: no other thread knows these runtimes.
void begin_throughput(const Table& table, const Settings& settings, Timestamp now,
                      capacity::ThroughputWatcher* watcher);

// Restores the states of a table when the data is opened. `before` is the time of the last commit,
// from which buckets refill; empty: buckets are full. `watcher` as above. An error says that the
// record cannot be read.
Result<void> load_throughput(const Table& table, const storage::Transaction& transaction,
                             const Settings& settings, std::optional<Timestamp> before,
                             Timestamp now, capacity::ThroughputWatcher* watcher);

// The state of a table or global index, found by space; `state` is null if none. `table` has the
// throttling mode, which only tables have.
struct SpaceThroughput {
  std::shared_ptr<capacity::ThroughputState> state;
  const Table* table = nullptr;
};
SpaceThroughput find_throughput(const Catalog& catalog, storage::SpaceId space);

// Passes a change of the description to the states of one table; settings not in force yet are
// scheduled.
void follow_description(const Table& before, const Table& after, Timestamp now);

}  // namespace stator
