// Maintenance: what the engine does without being asked, in pieces that run in the commit queue
// like any write: removing the data of what was deleted, filling new indexes, applying changes of
// global indexes that were held back.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/indexes/backfill.h"
#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/transaction.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

// What is left to do.
struct MaintenanceState {
  bool is_due = false;                // something, at once
  std::optional<Timestamp> next_due;  // when nothing is: the first moment when something will be
};

// Looks without doing anything. `now` decides what is due.
Result<MaintenanceState> look_for_maintenance(const storage::Transaction& transaction,
                                              const Catalog& catalog, Timestamp now);

// Does the pieces. Used by the queue's leader only.
class Maintenance {
 public:
  // Both must outlive this.
  Maintenance(MutationApplier& batch, Mutation& mutation) : batch_(batch), mutation_(mutation) {}

  // Takes out tables and indexes whose time in DELETING is over, then does one piece of the rest,
  // each kind in its turn.
  Result<void> run_piece(storage::WriteTransaction& transaction, Timestamp now,
                         const PieceLimits& limits);

  // The next piece of the first index that is backfilling; with `table`, of that table only.
  // Returns whether there was one.
  Result<bool> backfill(storage::WriteTransaction& transaction, Timestamp now,
                        const PieceLimits& limits,
                        std::optional<storage::SpaceId> table = std::nullopt);

  // A piece of the changes due at `now`. Returns whether there was one.
  Result<bool> apply_held_changes(storage::WriteTransaction& transaction, Timestamp now,
                                  const PieceLimits& limits);

 private:
  Result<void> remove_gone(storage::WriteTransaction& transaction, Timestamp now);
  Result<bool> sweep(storage::WriteTransaction& transaction, const PieceLimits& limits);

  MutationApplier& batch_;
  Mutation& mutation_;
  Arena arena_;
  unsigned turn_ = 0;                         // which kind of work is looked for first
  storage::SpaceId last_backfilled_table_{};  // tables take turns too
};

}  // namespace stator
