// Maintenance: runs the chores (chore.h), piece by piece.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/call/settings.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/maintenance/chores/chore_list.h"

namespace stator {

class Maintenance {
 public:
  // All must outlive the object. Only jobs of the queue change the settings.
  Maintenance(MutationApplier& batch, Mutation& mutation, const Settings& settings);

  // Schedules what an earlier process left undone. Call first, once, and after forget_all().
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog);

  // Removes all chores, because the data was replaced.
  void forget_all();

  // Schedules what a committed batch makes necessary. On the leader's thread. Returns when the
  // first new chore is due; empty if there is none.
  std::optional<Timestamp> batch_committed(const MutationApplier::Ended& batch,
                                           const Catalog& catalog);

  // There is free space again: chores whose pieces could not be stored become due. Returns whether
  // there are any. On the leader's thread.
  bool space_returned();

  // The store is full (ChoreKind::room_is_short()). Returns whether a chore is due. On the leader's
  // thread.
  bool room_is_short();

  // Removes and returns the next chores, at most `count_max`: all of them only free space, or none
  // does. Any thread may call this and the next functions.
  std::vector<Chore> take(Timestamp now, std::size_t count_max);
  // Schedules it again after a piece at `now`, if more is `due`. Returns whether it waited for
  // room, by frugal pieces, and has now done all that is due.
  bool piece_stored(const Chore& chore, std::optional<Timestamp> due, Timestamp now);
  // Schedules it again after a piece that could not be stored: at once if its next piece is frugal
  // and this one was not, else later, or as soon as there is free space, which may have been since
  // `room_returns` was read.
  enum class AfterFailure : std::uint8_t { GoesOn, BeginsToWait, Waits };
  AfterFailure piece_failed(const Chore& chore, bool was_frugal, Timestamp now,
                            std::uint64_t room_returns);
  // Whether its next piece is a frugal one.
  bool is_frugal(const Chore& chore);
  bool has_frugal_pieces(const Chore& chore) const {
    return kinds_[chore.kind]->has_frugal_pieces();
  }
  // How often space became free again.
  std::uint64_t room_returns();
  MaintenanceState state(Timestamp now) { return list_.state(now); }
  void begin_round(Timestamp now) { list_.begin_round(now); }

  // Calls ChoreKind::on_clock_move() of all kinds.
  Result<void> on_clock_move(std::chrono::microseconds length, const ChorePiece& with);

  // Calls ChoreKind::delays_changed() of all kinds.
  Result<void> delays_changed(const ChorePiece& with);

  bool only_frees_space(const Chore& chore) const { return kinds_[chore.kind]->only_frees_space(); }

  // ChoreKind::work_of().
  Result<std::string> work_of(const Chore& chore, const Snapshot& snapshot) const {
    return kinds_[chore.kind]->work_of(chore.subject, snapshot);
  }

  // Runs a piece of a chore in a batch, on the leader's thread. Returns when the next is due; empty
  // if none is left. A frugal one is smaller than the limits.
  Result<std::optional<Timestamp>> run_piece(const Chore& chore,
                                             storage::WriteTransaction& transaction, Timestamp now,
                                             const PieceLimits& limits, bool is_frugal);

  // Runs the first piece of a new index in the batch that adds it.
  Result<void> begin_backfill(const Table& table, storage::WriteTransaction& transaction,
                              Timestamp now);

  // Runs the first pieces of a copy in the batch that begins it.
  Result<void> begin_copy(storage::SpaceId target, storage::WriteTransaction& transaction,
                          Timestamp now);

  // Runs a piece of ending late indexes. Returns whether there was one.
  Result<bool> end_late_index(storage::WriteTransaction& transaction, bool is_frugal);

  // For other work in a batch. The limits must outlive it; one piece at a time.
  ChorePiece piece(storage::WriteTransaction& transaction, Timestamp now,
                   const PieceLimits& limits);

 private:
  const std::vector<std::unique_ptr<ChoreKind>> kinds_;
  const ChoreList::Kinds freeing_;  // the kinds that only free space
  const ChoreList::Kinds other_;
  ChoreList list_;
  using ChoreKey = std::pair<std::size_t, std::shared_ptr<TableRuntime>>;
  static ChoreKey key_of(const Chore& chore) { return {chore.kind, chore.subject.runtime}; }
  std::mutex failed_mutex_;  // guards the next three
  // Chores whose last piece could not be stored.
  std::map<ChoreKey, Chore> failed_;
  // Chores whose pieces are frugal, and whether one of these could not be stored.
  std::map<ChoreKey, bool> frugal_;
  std::uint64_t room_returns_ = 0;
  // Belong to the leader.
  MutationApplier& batch_;
  Mutation& mutation_;
  Arena arena_;
};

}  // namespace stator
