#include "engine/operations/batches/unprocessed_parts.h"

#include <algorithm>

#include "engine/operations/batches/part_marks.h"
#include "engine/operations/operation.h"

namespace stator {

void leave_unprocessed(Call& call, std::span<const std::size_t> places, std::size_t parts) {
  PartMarks marks{call.arena.allocate_array<bool>(parts)};
  std::fill(marks.marks.begin(), marks.marks.end(), false);
  for (const std::size_t place : places) marks.marks[place] = true;
  if (call.operation->name == "BatchWriteItem") {
    leave_writes(call, marks);
  } else {
    leave_lookups(call, marks);
  }
}

}  // namespace stator
