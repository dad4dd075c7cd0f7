// What tables and their indexes can serve, beside them in the catalog: made when they come, told
// when their descriptions change.
#pragma once

#include <memory>
#include <optional>

#include "engine/call/settings.h"
#include "engine/capacity/throughput_state.h"
#include "engine/capacity/throughput_values.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// What the table's description says of it, or of its index; nullptr: of the table itself.
capacity::CapacitySettings capacity_settings(const Table& table, const GlobalIndex* index);

// Makes what the table and its indexes have not got yet, and lets `watcher` know of it (nullptr:
// nobody). No-op with throttling Off. REQUIRES: nobody but the caller knows those runtimes.
void begin_throughput(const Table& table, const Settings& settings, Timestamp now,
                      capacity::ThroughputWatcher* watcher);

// The same for a table of the data that was opened, with what was kept of it. `before` is the time
// of the last commit: since then it had a pause; empty: its buckets are full. `watcher` as above.
// The error says that it cannot be read.
Result<void> load_throughput(const Table& table, const storage::Transaction& transaction,
                             const Settings& settings, std::optional<Timestamp> before,
                             Timestamp now, capacity::ThroughputWatcher* watcher);

// The state with that space, of a table or one of its indexes; nullptr: there is none. It has its
// throttling from `table`, which is set for tables alone.
struct SpaceThroughput {
  std::shared_ptr<capacity::ThroughputState> state;
  const Table* table = nullptr;
};
SpaceThroughput find_throughput(const Catalog& catalog, storage::SpaceId space);

// Tells the states of one table what became of it; settings that are not in force yet are theirs
// from then on.
void follow_description(const Table& before, const Table& after, Timestamp now);

}  // namespace stator
