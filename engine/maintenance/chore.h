// Chores: what the engine does without being asked. A chore is a kind of work bound to one table,
// index or space, and due at a time of the clock. Committed batches enter chores, the list
// (chore_list.h) says whose turn it is, and a piece of it runs in the commit queue like any write.
//
// A new kind is a file that derives ChoreKind and a line in chore_kinds.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "engine/indexes/backfill.h"
#include "engine/maintenance/chore_list.h"
#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/transaction.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

// What a piece of a chore works with. The mutation and the arena are empty and its own.
struct ChorePiece {
  storage::WriteTransaction& transaction;
  MutationApplier& batch;
  Mutation& mutation;
  Arena& arena;
  Timestamp now;
  const PieceLimits& limits;

  // The tables as the piece sees them.
  const Catalog& catalog() const { return *batch.catalog(); }
  Result<void> apply() { return batch.apply(mutation, now, transaction); }
};

class ChoreKind {
 public:
  // Enters the chore of this kind that is bound to `subject`. One that is entered already is due
  // at the earlier time.
  using Enter = std::function<void(const ChoreSubject& subject, Timestamp due)>;

  virtual ~ChoreKind() = default;

  // When the data was opened: enters what an earlier process left. The one place that may look at
  // all tables.
  virtual Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                                const Enter& enter) = 0;

  // Enters what a batch left. Called when it was committed, on the leader's thread; `catalog` has
  // the batch's changes.
  virtual void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                               const Enter& enter) = 0;

  // Time is about to be moved on by `length`, or, when that is zero, was. In between a kind whose
  // work need not be done on the dot may be due less often; what that kept back it enters when it
  // is over. On the leader's thread.
  virtual Result<void> time_moves(std::chrono::microseconds /*length*/,
                                  const storage::Transaction& /*transaction*/,
                                  const Catalog& /*catalog*/, const Enter& /*enter*/) {
    return {};
  }

  // Whether its pieces only make room: then a full store does not refuse them.
  virtual bool only_shrinks() const { return false; }

  // Does one bounded piece and tells when the next one is due; empty: nothing is left. A chore may
  // have lost its subject, or not be due any more because the clock was set back: then it does
  // nothing. A failure means that the batch must be aborted; the chore is tried again later.
  virtual Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                                     ChorePiece& piece) = 0;
};

}  // namespace stator
