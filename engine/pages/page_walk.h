// The walk of a page: from a cursor's position on until a limit, with what it
// costs.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/pages/page.h"
#include "engine/storage/item_store.h"

namespace stator {

inline constexpr std::uint32_t kHashEnd = 1U << 24;  // behind every place in scan order

// The part of the hash space that a page may walk through, and the partitions
// of the service that share the whole of it. A Query stays in one place.
struct HashWalk {
  std::uint32_t begin = 0;
  std::uint32_t end = kHashEnd;
  std::uint32_t partitions = 1;
  bool is_one_item = false;         // there is no second item: a full page leaves
                                    // nothing to go on with
  std::string_view partition = {};  // of a Query
};

// Evaluates records from the cursor's position on, up to `walk.end`.
Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const HashWalk& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Work& work,
                       RecordSink& sink);

}  // namespace stator
