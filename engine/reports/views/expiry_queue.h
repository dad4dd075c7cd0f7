// The expiry queue of a table with time to live: its items in the order in which they expire.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/call/settings.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

// The place of an item in the queue.
struct ExpiryPlace {
  std::uint64_t due_s = 0;  // Unix time
  std::string partition;    // from the item's key
  std::string sort;
};

struct ExpiryQueue {
  struct Item {
    std::string key_json;  // as on the wire
    Timestamp expires;     // the second in its attribute
    Timestamp due;         // when it may be deleted
  };
  // Items that are due at `until` or earlier, without those of the bucket before.
  struct Bucket {
    std::optional<Timestamp> until;  // empty: the rest
    std::uint64_t items = 0;
  };

  std::chrono::microseconds lag{0};  // as in ExpiryFigures, like `deleted`
  std::uint64_t deleted = 0;
  std::vector<Bucket> buckets;
  // Items that expired too long ago to be deleted (engine/schema/expiry.h).
  std::uint64_t too_old = 0;
  // kExpiriesCountedMax was reached, or entries are still being made: a number is too small.
  bool has_more = false;
  std::vector<Item> items;
  std::optional<ExpiryPlace> next;  // of the last of the items, if there are more
};

inline constexpr std::size_t kExpiriesCountedMax = 10'000;

// Lists up to `items_max` items after `after`. All is empty for a table without time to live.
Result<ExpiryQueue> expiry_queue(const Snapshot& snapshot, const Settings& settings,
                                 const Table& table, const std::optional<ExpiryPlace>& after,
                                 std::size_t items_max);

}  // namespace stator
