// The walk of a page: from a cursor's position on until a limit, with what it
// costs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/pages/page.h"
#include "engine/storage/item_store.h"

namespace stator {

inline constexpr std::uint32_t kHashEnd = 1U << 24;  // behind every place in scan order

// The part of the hash space that a page may walk through, and where the
// service's partitions begin that share the whole of it. A Query stays in one
// place.
struct HashWalk {
  std::uint32_t begin = 0;
  std::uint32_t end = kHashEnd;
  std::vector<std::uint32_t> partition_begins = {0};  // rising, from 0
  bool is_one_item = false;                           // there is no second item: a full page
                                                      // leaves nothing to go on with
  // Of a Query: the place that is charged.
  std::string_view partition = {};
  std::string_view sort = {};
};

// What a page costs where it begins. A Query's partition is never empty.
Charge charge_of_page(const ReadTarget& target, const HashWalk& walk, std::int64_t units_milli);

// Evaluates records from the cursor's position on, up to `walk.end`.
Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const HashWalk& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Work& work,
                       RecordSink& sink);

}  // namespace stator
