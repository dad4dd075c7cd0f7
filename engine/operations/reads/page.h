// A page of a Query or a Scan: the records from a cursor on until a limit, rendered.
#pragma once

#include <cstdint>

#include "engine/call/call.h"
#include "engine/operations/reads/read_request.h"
#include "engine/operations/reads/read_target.h"
#include "engine/state/snapshot.h"
#include "engine/storage/item_store.h"
#include "protocol/result.h"

namespace stator {

inline constexpr std::uint32_t kHashEnd = 1U << 24;  // behind every place in scan order

// The part of the hash space that a page may walk through, and the partitions of the service that
// share the whole of it. A Query stays in one place.
struct HashWalk {
  std::uint32_t begin = 0;
  std::uint32_t end = kHashEnd;
  std::uint32_t partitions = 1;
  bool is_one_item = false;  // there is no second item: a full page leaves nothing to go on with
};

// Evaluates records from the cursor's position on, up to `walk.end`, and appends the answer to
// call.reply.
Result<void> answer_page(const ReadTarget& target, const ReadRequest& request, const HashWalk& walk,
                         storage::RecordCursor& cursor, const Snapshot& snapshot, Call& call);

}  // namespace stator
