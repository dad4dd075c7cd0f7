// Throughput figures: what tables and global indexes can serve, and what was asked of them, for who
// watches or steers the process from outside.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/capacity/throughput_state.h"
#include "engine/figures.h"
#include "engine/schema/runtime.h"
#include "engine/state/snapshot.h"
#include "protocol/result.h"

namespace stator {

// Of a table, or of one of its global indexes.
struct ThroughputFigures {
  TableLabel label;
  std::string index;                  // empty: the table itself
  Type partition_key_type = Type::S;  // of its keys' bytes; of several in a tuple: B
  Type sort_key_type = Type::B;       // of their ordered bytes, as far as these are its value
  std::shared_ptr<Runtime> table;     // whose throttling goes for the index, too
  std::shared_ptr<Runtime> own;       // the index's, or the table's once more
  std::shared_ptr<capacity::ThroughputState> state;
};

// As metrics and the admin path name it.
std::string_view to_text(LimitedChange change);
// How many of them came too soon, of the table or of the index.
std::uint64_t limited_changes(const ThroughputFigures& figures, LimitedChange change);

// Tables in the order of their names, each before its indexes; none with throttling off.
Result<std::vector<ThroughputFigures>> throughput_figures(const Snapshot& snapshot,
                                                          Isolation isolation);

}  // namespace stator
