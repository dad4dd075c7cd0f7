// Chores: background work of the engine. A chore is a kind of work bound to one table, index or
// space, and due at a time of the clock. Committed batches schedule chores. The list (chore_list.h)
// picks the next one, and a piece of it runs in the commit queue like any write.
//
// A new kind is a file that derives ChoreKind and a line in chore_kinds.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/catalog/catalog.h"
#include "engine/indexes/backfill.h"
#include "engine/maintenance/chores/chore_list.h"
#include "engine/seams/clock.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/state/snapshot.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

// What a piece of a chore works with. The mutation and the arena are empty and belong to it.
struct ChorePiece {
  storage::WriteTransaction& transaction;
  MutationApplier& batch;
  Mutation& mutation;
  Arena& arena;
  Timestamp now;
  const PieceLimits& limits;
  // Whether it may use the reserve of a full store (ChoreKind::has_frugal_pieces()).
  bool is_frugal = false;

  // The tables of the piece's snapshot.
  const Catalog& catalog() const { return *batch.catalog(); }
  Result<void> apply() { return batch.apply(mutation, now, transaction); }
};

// The due time of a chore that waits for nothing.
inline constexpr Timestamp kAtOnce{};

class ChoreKind {
 public:
  // Schedules the chore of this kind that is bound to `subject`. If it is scheduled already, the
  // earlier time counts.
  using Schedule = std::function<void(const ChoreSubject& subject, Timestamp due)>;

  virtual ~ChoreKind() = default;

  // Schedules what an earlier process left undone. Called after the data is opened; the one place
  // that may look at all tables.
  virtual Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                                const Schedule& enter) = 0;

  // Schedules what a batch makes necessary. Called after its commit, on the leader's thread;
  // `catalog` has the batch's changes.
  virtual void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                               const Schedule& enter) = 0;

  // Called before time advances by `length`, and with zero after it has. In between, a kind whose
  // work need not be punctual may be due less often; with zero it schedules what it has deferred.
  // On the leader's thread.
  virtual Result<void> on_clock_move(std::chrono::microseconds /*length*/,
                                     const ChorePiece& /*with*/, const Schedule& /*enter*/) {
    return {};
  }

  // Called when a delay of the settings has changed. A kind that waits for one schedules what may
  // be due earlier now; its pieces put off what is due later. On the leader's thread.
  virtual Result<void> delays_changed(const ChorePiece& /*with*/, const Schedule& /*enter*/) {
    return {};
  }

  // The store is full: a kind whose data is worth less than new writes schedules the removal of
  // some. On the leader's thread, after a batch.
  virtual void room_is_short(const Schedule& /*enter*/) {}

  // Whether its pieces only free space: then a full store accepts them.
  virtual bool only_frees_space() const { return false; }

  // Whether it can go on in a full store by frugal pieces, which are small, may use the reserve,
  // and give back what they take of it. After a piece that could not be stored its pieces are
  // frugal until nothing is due.
  virtual bool has_frugal_pieces() const { return false; }

  // The work of a user that the chore does, for the log: "the restore of table 'orders'". Empty if
  // no user waits for the chore. Any thread.
  virtual Result<std::string> work_of(const ChoreSubject& /*subject*/,
                                      const Snapshot& /*snapshot*/) const {
    return std::string();
  }

  // Stages one bounded piece and returns when the next is due; empty if nothing is left. Does
  // nothing if the subject is deleted, or if the chore is no longer due because the clock was set
  // back. On a failure the caller aborts the batch and retries the chore later.
  virtual Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                                     ChorePiece& piece) = 0;
};

}  // namespace stator
