// Warm throughput: what a table or a global index can serve at once, as its description tells it,
// and raising that (conformance/observed/capacity.md 4.2).
//
// A raise takes its time, in which the old numbers are told as UPDATING: --control-plane-delay, as
// all changes of descriptions, and where throughput is enforced until the model grants it.
#pragma once

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

struct WarmThroughput {
  Throughput units;
  bool is_updating = false;
};

// Of the table itself (`index` is nullptr) or of one of its global indexes. `is_answered`: in the
// answer of an UpdateTable, which tells what there was before.
WarmThroughput warm_throughput(const Table& table, const GlobalIndex* index, Timestamp now,
                               bool is_answered = false);

// The WarmThroughput of an UpdateTable (nullptr: it has none), which names at least as much as
// there is: what an earlier request asked for and is not there yet does not count.
Result<void> check_warm_raise(const JsonNode* warm, const Table& table, const GlobalIndex* index,
                              Timestamp now);

}  // namespace stator
