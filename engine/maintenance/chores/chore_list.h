// ChoreList: the scheduled chores, and which one is next.
//
// A heap has the chores that are not due yet, by time. Each kind has a queue of chores that are
// due. Kinds take turns, and a chore with more work goes to the end of its queue, so neither a kind
// nor a table delays another. Every step costs O(log n) in the number of chores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <vector>

#include "engine/maintenance/chores/maintenance_state.h"
#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"

namespace stator {

// What a chore is bound to: a table, an index, or a space that belongs to neither any more. Number
// zero if a kind has one chore for all.
struct ChoreSubject {
  storage::SpaceId space{};
  // The subject's, which records whether the chore is scheduled. Not null.
  std::shared_ptr<TableRuntime> runtime;

  // A space without a table, or number zero.
  static ChoreSubject without_table(storage::SpaceId space = {});
};

struct Chore {
  std::size_t kind = 0;
  ChoreSubject subject;
  bool is_in_round = false;  // ChoreList::begin_round()
};

// Safe from any thread.
class ChoreList {
 public:
  // REQUIRES: kinds <= TableRuntime::kChoreKindsMax; checked when one is scheduled.
  explicit ChoreList(std::size_t kinds) : lines_(kinds), in_round_(kinds) {}

  // Returns false if the chore was scheduled already for this time or an earlier one.
  bool enter(const Chore& chore, Timestamp due);

  // Some kinds: whether each is among them.
  using Kinds = std::vector<bool>;
  // Removes and returns the next chore that is due at `now`, only of `kinds` unless that is
  // nullptr; empty if none is.
  std::optional<Chore> take(Timestamp now, const Kinds* kinds = nullptr);

  // Begins a round with all chores that are due at `now`. take() prefers them, and a piece of one
  // that leaves more to do at once leaves it in the round. What is scheduled later is in no round,
  // so a round ends however much others write.
  void begin_round(Timestamp now);
  // Schedules a chore again after a piece.
  void enter_again(const Chore& chore, Timestamp due, Timestamp now);

  MaintenanceState state(Timestamp now);

  // Removes all chores.
  void clear();

 private:
  struct Waiting {
    Timestamp due;
    std::uint64_t number;  // orders those due at the same time by when they were scheduled
    Chore chore;

    bool operator<(const Waiting& other) const {  // the greatest of the heap is next
      return due != other.due ? due > other.due : number > other.number;
    }
  };
  // When the chore is due, if it is scheduled; in a queue: Timestamp::min().
  static std::optional<Timestamp>& entered(const Chore& chore) {
    return chore.subject.runtime->chores_due.at(chore.kind);
  }
  // REQUIRES, here and below: mutex_ is locked.
  bool enter_locked(const Chore& chore, Timestamp due);
  // Moves chores that have become due to their queues.
  void line_up(Timestamp now);
  bool is_round_open() const;

  std::mutex mutex_;  // guards the members below, and chores_due of the runtimes
  // A chore that is scheduled again for an earlier time leaves a stale element, whose time is not
  // the chore's.
  std::priority_queue<Waiting> waiting_;
  std::vector<std::deque<ChoreSubject>> lines_;  // by kind
  std::vector<std::size_t> in_round_;            // by kind: how many of its first are in the round
  std::uint64_t next_number_ = 0;
  std::size_t turn_ = 0;  // the kind whose turn is next
};

}  // namespace stator
