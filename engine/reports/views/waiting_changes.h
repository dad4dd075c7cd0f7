// The changes of tables that late global indexes (--gsi-delay) do not have yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

struct LateChanges {
  std::uint64_t changes = 0;  // of the table's items
  Timestamp oldest;
  bool has_more = false;  // not all were counted
};

// Those that are counted at most, of all indexes.
inline constexpr std::size_t kLateChangesCountedMax = 10'000;

// By index. An index that has all changes is not in it.
using LateIndexes = std::map<storage::SpaceId, LateChanges>;
Result<LateIndexes> late_indexes(const Snapshot& snapshot);

}  // namespace stator
