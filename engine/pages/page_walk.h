// The walk of a page: from a cursor's position on until a limit, with what it
// costs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/capacity/place.h"
#include "engine/pages/page.h"
#include "engine/storage/item_store.h"

namespace stator {

// The places that a page may walk through, and where the service's partitions
// begin among them. A Query stays within the hash of its partition key.
struct PlaceWalk {
  capacity::Place begin = {};  // where it is entered
  // Behind its last place; backwards, its last place.
  capacity::Place end = {.hash = capacity::kHashesEnd};
  storage::Direction direction = storage::Direction::Forward;
  // In the direction of the walk: the first one has `begin`. Sort keys live in
  // the call's arena.
  std::vector<capacity::Place> partition_begins = {};
  bool is_one_item = false;  // there is no second item: a full page leaves
                             // nothing to go on with
  // Of a Query: its partition key.
  std::string_view partition = {};
};

// What a page costs where it begins. A Query's partition is never empty.
Charge charge_of_page(const ReadTarget& target, const PlaceWalk& walk, std::int64_t units_milli);

// Evaluates records from the cursor's position on, up to the end of the walk.
Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const PlaceWalk& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Work& work,
                       RecordSink& sink);

}  // namespace stator
