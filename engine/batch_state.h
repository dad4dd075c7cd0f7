// BatchState: what the jobs of the current batch have changed so far, and applying mutations to it.
// Used by the queue's leader only.
#pragma once

#include <memory>
#include <unordered_map>

#include "engine/catalog.h"
#include "engine/mutation.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

class BatchState {
 public:
  explicit BatchState(std::shared_ptr<const Catalog> catalog)
      : published_(catalog), working_(std::move(catalog)) {}

  // The tables as the next job of the batch sees them.
  const std::shared_ptr<const Catalog>& catalog() const { return working_; }

  // Writes what a mutation decided. A failure leaves the transaction half done: the batch must be
  // aborted.
  Result<void> apply(Mutation& mutation, storage::WriteTransaction& transaction);

  // Writes the statistics gathered.
  Result<void> before_commit(storage::WriteTransaction& transaction);

  // Keeps or forgets the batch's changes. Returns whether the catalog is a new one.
  bool end(bool committed);

 private:
  Result<void> apply_table(Table table, storage::WriteTransaction& transaction);
  Result<void> apply_erased_table(const Table& table, storage::WriteTransaction& transaction);

  std::shared_ptr<const Catalog> published_;
  std::shared_ptr<const Catalog> working_;
  std::unordered_map<std::uint32_t, SpaceStats> stats_;
};

// The spaces of a table: its own and its indexes'.
std::vector<storage::SpaceId> spaces_of(const Table& table);

}  // namespace stator
