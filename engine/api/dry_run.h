// Dry runs: a request is decided by the present state, and what it would change is dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/call/call.h"
#include "engine/operations/operation.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

// The changes that a request would make.
struct DryRun {
  static constexpr std::size_t kItemsMax = 10;

  // Billed bytes before and after; zero for no item or entry.
  struct Sizes {
    std::int64_t before_bytes = 0;
    std::int64_t after_bytes = 0;
  };
  struct IndexChange {
    std::string index;
    Sizes sizes;
    bool is_moved = false;  // to another key
    std::int64_t units_milli = 0;
  };
  struct Change {
    std::string table;
    std::string key_json;  // the key's attributes as on the wire
    Sizes sizes;
    std::int64_t units_milli = 0;              // of the table alone
    std::vector<IndexChange> indexes;          // whose entry would change
    std::optional<std::int64_t> stream_bytes;  // of the stream record, if there would be one
  };
  std::vector<Change> changes;  // the first kItemsMax
  std::size_t item_count = 0;   // of items that would change
};

// Whether the operation is one on items: only these have dry runs.
bool has_dry_run(const Operation& operation);

// Runs the call on the snapshot: call.reply or the error is what it would get. Changes neither data
// nor throughput. REQUIRES: parsed, has_dry_run(*call.operation), call.charging is settled.
Result<void> run_dry(Call& call, const Snapshot& snapshot, DryRun& would);

}  // namespace stator
