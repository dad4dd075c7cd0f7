// ChoreList: which chores wait, until when, and whose turn it is.
//
// Those not due yet stand in a heap by time. Those that are due stand in one line for each kind;
// kinds take turns, and a chore that has more to do goes to the end of its line, so neither a kind
// nor a table holds up another. Every step costs O(log n) in the number of chores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <vector>

#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"

namespace stator {

// What is left to do.
struct MaintenanceState {
  bool is_due = false;                // something, at once
  std::optional<Timestamp> next_due;  // when nothing is: the first moment when something will be
  bool could_not_store = false;       // what was done just now, which is tried again later
};

// What a chore is bound to: a table, an index, or a space that has neither any more; number zero
// where a kind has one chore for all.
struct ChoreSubject {
  storage::SpaceId space{};
  // The subject's: it tells whether the chore is entered. Not null.
  std::shared_ptr<Runtime> runtime;
};

struct Chore {
  std::size_t kind = 0;
  ChoreSubject subject;
};

// Safe from any thread.
class ChoreList {
 public:
  // REQUIRES: kinds <= Runtime::kChoreKindsMax.
  explicit ChoreList(std::size_t kinds) : lines_(kinds) {}

  // Returns whether that was news: the chore was not entered, or for a later time.
  bool enter(const Chore& chore, Timestamp due);

  // Takes the chore out whose turn it is at `now`; empty when none is due.
  std::optional<Chore> take(Timestamp now);

  MaintenanceState state(Timestamp now);

  // Takes all chores out.
  void clear();

 private:
  struct Waiting {
    Timestamp due;
    std::uint64_t number;  // of those due at the same time, the one entered first comes first
    Chore chore;

    bool operator<(const Waiting& other) const {  // the heap's greatest is the next one
      return due != other.due ? due > other.due : number > other.number;
    }
  };
  // Whether and until when the chore is entered; in line: Timestamp::min().
  static std::optional<Timestamp>& entered(const Chore& chore) {
    return chore.subject.runtime->chores_due[chore.kind];
  }
  // Puts those that have become due in line. REQUIRES: the lock.
  void line_up(Timestamp now);

  std::mutex mutex_;  // guards what follows, and chores_due of the runtimes
  // A chore entered again for an earlier time leaves its old place behind: one whose time is not
  // the one it is entered for.
  std::priority_queue<Waiting> waiting_;
  std::vector<std::deque<ChoreSubject>> lines_;  // by kind
  std::uint64_t next_number_ = 0;
  std::size_t turn_ = 0;  // the kind that is looked at first
};

}  // namespace stator
