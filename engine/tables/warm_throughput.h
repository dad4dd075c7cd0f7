// Warm throughput: the throughput that a table or a global index serves at once, as its description
// shows it, and raising it (conformance/observed/capacity.md 4.2).
//
// While a raise is unfinished, descriptions show the old numbers as UPDATING: for
// --control-plane-delay, like all changes, and where throughput is enforced until the model grants
// the new ones.
#pragma once

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

struct WarmThroughput {
  Throughput units;
  bool is_updating = false;
};

// For the table itself (`index` is nullptr) or one of its global indexes. `is_answered`: for the
// response to an UpdateTable, which shows the previous values.
WarmThroughput warm_throughput(const Table& table, const GlobalIndex* index, Timestamp now,
                               bool is_answered = false);

// Checks the WarmThroughput of an UpdateTable (nullptr if absent): at least the current values. An
// earlier, unfinished raise does not count.
Result<void> check_warm_raise(const JsonNode* warm, const Table& table, const GlobalIndex* index,
                              Timestamp now);

}  // namespace stator
