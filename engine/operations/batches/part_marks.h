// Marks for the parts of a batch that a fault on demand leaves unprocessed.
#pragma once

#include <cstddef>
#include <span>

#include "engine/call/call.h"

namespace stator {

// A mark for each part, in the order of the request; without parts none is marked.
struct PartMarks {
  std::span<bool> marks = {};

  bool has(std::size_t place) const { return place < marks.size() && marks[place]; }
  // Those of the parts from `place` on.
  PartMarks from(std::size_t place) const {
    return {place < marks.size() ? marks.subspan(place) : std::span<bool>()};
  }
};

// Gives the call's typed request, a `Request`, these marks.
template <class Request>
void leave_parts(Call& call, PartMarks marks) {
  auto* const request = call.arena.make<Request>(*static_cast<const Request*>(call.request));
  request->left = marks;
  call.request = request;
}

// As above. REQUIRES: it is a BatchWriteItem; a BatchGetItem.
void leave_writes(Call& call, PartMarks marks);
void leave_lookups(Call& call, PartMarks marks);

}  // namespace stator
