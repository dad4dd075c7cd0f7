// MutationApplier: applies mutations, and knows what the jobs of the current batch have changed so
// far.
// Used by the queue's leader only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/state/catalog.h"
#include "engine/state/mutation.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

class MutationApplier {
 public:
  // Changes of global indexes are held back for `gsi_delay`.
  MutationApplier(std::shared_ptr<const Catalog> catalog, std::chrono::microseconds gsi_delay)
      : gsi_delay_(gsi_delay), published_(catalog), working_(std::move(catalog)) {}

  // The tables as the next job of the batch sees them.
  const std::shared_ptr<const Catalog>& catalog() const { return working_; }

  // Writes what a mutation decided at `now`. A failure leaves the transaction half done: the batch
  // must be aborted.
  Result<void> apply(Mutation& mutation, Timestamp now, storage::WriteTransaction& transaction);

  // Writes the statistics and counters gathered.
  Result<void> before_commit(storage::WriteTransaction& transaction);

  // What a batch that was committed left.
  struct Ended {
    bool catalog_changed = false;
    bool index_became_active = false;
    // What chores may follow from (engine/maintenance/chore.h).
    std::vector<storage::SpaceId> changed_tables;  // new ones too; one may be named twice
    std::vector<storage::SpaceId> dropped_spaces;  // their records are still there
    std::optional<Timestamp> late_change_due;      // the first that was held back
  };
  // Keeps or forgets the batch's changes.
  Ended end(bool committed);

 private:
  Result<void> apply_table(Table table, storage::WriteTransaction& transaction);
  Result<void> apply_erased_table(const Table& table, storage::WriteTransaction& transaction);
  Result<void> drop_space(storage::SpaceId space, storage::WriteTransaction& transaction);
  Result<void> hold(const Mutation::EntryChange& change, Timestamp due,
                    storage::WriteTransaction& transaction);

  const std::chrono::microseconds gsi_delay_;
  std::shared_ptr<const Catalog> published_;
  std::shared_ptr<const Catalog> working_;
  std::unordered_map<std::uint32_t, SpaceStats> stats_;
  std::optional<std::uint64_t> next_change_number_;  // once the batch held a change back
  Ended ended_;
};

}  // namespace stator
