// The walk of a page: from a cursor's position to a limit, with its cost.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/capacity/place.h"
#include "engine/pages/page.h"
#include "engine/storage/stores/item_store.h"

namespace stator {

// The range of positions that a page may read, and where the service's partitions begin in it. A
// Query stays in the hash of its partition key.
struct ScanRange {
  capacity::Place begin = {};  // where the walk starts
  // After its last position; backwards, the last position itself.
  capacity::Place end = {.hash = capacity::kHashesEnd};
  storage::Direction direction = storage::Direction::Forward;
  // In the direction of the walk; the first partition contains `begin`. Sort keys live in the
  // call's arena.
  std::vector<capacity::Place> partition_begins = {};
  bool is_one_item = false;  // at most one item: no page follows a full one
  // For a Query: its partition key.
  std::string_view partition = {};
};

// The charge of a page at its start. A Query's `partition` is never empty.
Charge charge_of_page(const ReadTarget& target, const ScanRange& walk, std::int64_t units_milli);

// How many items the call's page may still have, after the reads that it has made.
std::size_t items_left(const Call& call);

// Evaluates records from the cursor's position to the end of the walk.
Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const ScanRange& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Call& call,
                       RecordSink& sink);

}  // namespace stator
