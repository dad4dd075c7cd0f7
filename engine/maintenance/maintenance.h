// Maintenance: does the chores (chore.h), piece by piece.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/call/settings.h"
#include "engine/maintenance/chore.h"
#include "engine/maintenance/chore_list.h"

namespace stator {

class Maintenance {
 public:
  // The first two must outlive this.
  Maintenance(MutationApplier& batch, Mutation& mutation, const Settings& settings);

  // Enters what the data leaves to be done: once, before the rest, and behind forget_all().
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog);

  // The data is another one: no chore is left.
  void forget_all();

  // Enters what a committed batch left; on the leader's thread. Returns when the first of what is
  // new is due; empty: nothing is.
  std::optional<Timestamp> batch_committed(const MutationApplier::Ended& batch,
                                           const Catalog& catalog);

  // There is room for writes again: what could not be stored is due. Returns whether that is
  // something; on the leader's thread.
  bool room_returned();

  // From any thread, as the next ones: takes the chore out whose turn it is.
  std::optional<Chore> take(Timestamp now) { return list_.take(now); }
  // Puts it back when a piece was done and more is `due`.
  void piece_stored(const Chore& chore, std::optional<Timestamp> due);
  // Puts it back when a piece could not be stored: due a while later, or as soon as there is room
  // again, which may have been since `room_returns` was asked.
  void piece_failed(const Chore& chore, Timestamp now, std::uint64_t room_returns);
  // How often there was room again.
  std::uint64_t room_returns();
  MaintenanceState state(Timestamp now) { return list_.state(now); }

  // Tells all kinds (ChoreKind::time_moves()).
  Result<void> time_moves(std::chrono::microseconds length, const ChorePiece& with);

  bool only_shrinks(const Chore& chore) const { return kinds_[chore.kind]->only_shrinks(); }

  // A piece of a chore, in a batch: on the leader's thread. Returns when the next is due; empty:
  // none is left.
  Result<std::optional<Timestamp>> run_piece(const Chore& chore,
                                             storage::WriteTransaction& transaction, Timestamp now,
                                             const PieceLimits& limits);

  // The first piece of the index that the table is getting, in the batch that adds it.
  Result<void> begin_backfill(const Table& table, storage::WriteTransaction& transaction,
                              Timestamp now);

  // A piece on the way to a store without late indexes. Returns whether there was one.
  Result<bool> end_late_index(storage::WriteTransaction& transaction);

  // For work that is no chore's, in a batch. The limits must outlive it; one piece at a time.
  ChorePiece piece(storage::WriteTransaction& transaction, Timestamp now,
                   const PieceLimits& limits);

 private:
  const std::vector<std::unique_ptr<ChoreKind>> kinds_;
  ChoreList list_;
  std::mutex failed_mutex_;  // guards the next two
  // The chores whose last piece could not be stored.
  std::map<std::pair<std::size_t, const Runtime*>, Chore> failed_;
  std::uint64_t room_returns_ = 0;
  // The leader's.
  MutationApplier& batch_;
  Mutation& mutation_;
  Arena arena_;
};

}  // namespace stator
