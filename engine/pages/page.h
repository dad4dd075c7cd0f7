// Pages: what a Query or a Scan reads at once. Records that match go to a sink
// one by one, as they are stored; how they are shown is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/pages/read_plan.h"
#include "engine/pages/read_target.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // A record that matches (storage/item_codec.h). The arena is empty, and free
  // to be used until the return. Returns the record's packed size
  // (storage/packed_size.h) with that `sort_key`, if it came out on the way.
  virtual std::optional<std::size_t> take(std::string_view record, std::string_view sort_key,
                                          Arena& scratch) = 0;
};

// What became of a page, its records aside. Valid while the snapshot's views
// and the arena are.
struct Page {
  ReadTarget target;
  std::int64_t count = 0;          // of records that match
  std::int64_t scanned_count = 0;  // of records looked at
  std::size_t size_bytes = 0;      // of what counts towards limits::kPageBytesMax
  // The last record looked at, which the next page begins behind; empty: there
  // is no next page.
  std::string_view last;
  Walked::End end = Walked::End::All;  // with a next page another
  // One for each partition that was walked through.
  std::vector<Charge> charges;
};

// Nothing is handed to the sink where plan.read.select is Count. Errors: the
// plan does not fit the table, the page is throttled, nobody waits any more
// (`call.work`), or storage failed; the sink may have been given records by
// then.
Result<Page> query_page(const Table& table, const QueryPlan& plan, const Snapshot& snapshot,
                        Call& call, RecordSink& sink);
Result<Page> scan_page(const Table& table, const ScanPlan& plan, const Snapshot& snapshot,
                       Call& call, RecordSink& sink);

}  // namespace stator
