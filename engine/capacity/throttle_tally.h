// ThrottleTally: what is to be told of the refused charges of a table or a global index, and
// whether somebody is about to. Made at the first of them, and gone with its ThroughputState.
//
// Any thread counts and enters it in a list, without a lock and without allocating: the list is a
// chain through the tallies themselves, to which one is pushed at most once until it was taken.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"

namespace stator {
struct Runtime;
}

namespace stator::capacity {

class ThroughputState;

// What it is of, for those who read it.
struct TallyOf {
  std::string scope;
  std::string region;
  std::string table_name;
  std::string index_name;  // empty: the table itself
};

struct ThrottleTally {
  explicit ThrottleTally(TallyOf named) : of(std::move(named)) {}

  const TallyOf of;
  // A table's: reads and writes that it or one of its indexes refused, or should have.
  std::array<std::atomic<std::uint64_t>, kDimensions> events{};
  std::array<std::uint64_t, kDimensions> events_told{};  // the teller's

  // Set by whoever enters it, and then whoever took the list has what follows.
  std::atomic<bool> is_listed{false};
  ThrottleTally* next = nullptr;
  std::shared_ptr<ThroughputState> state;  // whose this is, kept meanwhile
  std::shared_ptr<Runtime> table;          // its table's, too
  bool is_enforced = false;                // whether it really was refused
  Timestamp first;                         // when
};

}  // namespace stator::capacity
