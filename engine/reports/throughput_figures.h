// Throughput figures: limits and use of tables and global indexes, for monitoring and the admin
// path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/reports/figures.h"
#include "engine/schema/capacity.h"
#include "engine/schema/runtime.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/errors/result.h"

namespace stator {

// Statistics of a table or of one of its global indexes.
struct ThroughputStats {
  TableLabel label;
  std::string index;  // empty: the table itself
  std::vector<Type> partition_key_types;
  Type sort_key_type = Type::B;         // of an index: B, because its bytes are a tuple
  std::shared_ptr<TableRuntime> table;  // has the throttling mode, also of the index
  std::shared_ptr<TableRuntime> own;    // the index's own; for the table same as `table`
  std::shared_ptr<capacity::ThroughputState> state;
};

// The name in metrics and on the admin path.
std::string_view to_text(LimitedChange change);
// How many changes of the table or index came too early.
std::uint64_t limited_changes(const ThroughputStats& figures, LimitedChange change);

// Tables sorted by name, each before its indexes. Empty with throttling off.
Result<std::vector<ThroughputStats>> throughput_figures(const Snapshot& snapshot,
                                                        Isolation isolation);

// Requests that the table or one of its indexes throttled, enforced or observed, since the state
// was made.
std::uint64_t throttled_requests(const Table& table);

// The states of all tables and global indexes, in no order. Empty with throttling off.
std::vector<std::shared_ptr<capacity::ThroughputState>> throughput_states(const Snapshot& snapshot);

}  // namespace stator
