// ThrottleTally: throttled charges of a table or a global index that are not reported yet, and
// whether a report is pending. Made at the first one; destroyed with its ThroughputState.
//
// Any thread counts and pushes the tally to a list, without lock or allocation: the list is linked
// through the tallies, and each is pushed at most once until the list is taken.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"
#include "protocol/values/value.h"

namespace stator {
struct TableRuntime;
}

namespace stator::capacity {

class ThroughputState;

// Which table or index a tally belongs to, for reports.
struct TallyOf {
  std::string scope;
  std::string region;
  std::string table_name;
  std::string index_name;       // empty for the table itself
  std::vector<Type> key_types;  // of its partition key
};

struct ThrottleTally {
  explicit ThrottleTally(TallyOf named) : of(std::move(named)) {}

  const TallyOf of;
  // For tables: reads and writes that the table or one of its indexes throttled, enforced or
  // observed.
  std::array<std::atomic<std::uint64_t>, kDimensions> events{};
  std::array<std::uint64_t, kDimensions> events_told{};  // already reported

  // Set by the thread that pushes the tally. The thread that took the list then owns the members
  // below.
  std::atomic<bool> is_listed{false};
  ThrottleTally* next = nullptr;
  std::shared_ptr<ThroughputState> state;  // the owner of this tally, alive while listed
  std::shared_ptr<TableRuntime> table;     // its table's runtime, too
  bool is_enforced = false;                // true: rejected; false: observed only
  Timestamp first;                         // time of the first one
};

}  // namespace stator::capacity
