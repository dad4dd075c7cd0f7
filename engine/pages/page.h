// Pages: the part of a Query or a Scan that one request reads. Matching records go to a sink one by
// one, in stored form; the caller renders them.
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
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // Takes a matching record (storage/item_codec.h). The arena is empty and may be used until the
  // return. Returns the record's packed size (storage/packed_size.h) for this `sort_key`, if
  // rendering computed it.
  virtual std::optional<std::size_t> take(std::string_view record, std::string_view sort_key,
                                          Arena& scratch) = 0;
};

// Result of reading a page, without its records. Valid while the snapshot's views and the arena
// are.
struct Page {
  ReadTarget target;
  std::int64_t count = 0;          // matching records
  std::int64_t scanned_count = 0;  // records read
  std::size_t size_bytes = 0;      // bytes that count towards limits::kPageBytesMax
  // The last record read, after which the next page begins; empty if there is no next page.
  std::string_view last;
  ReadStats::End end = ReadStats::End::All;  // another value if there is a next page
  // One charge for each partition that was read.
  std::vector<Charge> charges;
};

// Reads one page. Gives the sink no records if plan.read.select is Count. Errors: the plan does not
// fit the table, the page is throttled, the result is no longer needed (`call.work`), or storage
// failed; the sink may have records by then.
Result<Page> query_page(const Table& table, const QueryPlan& plan, const Snapshot& snapshot,
                        Call& call, RecordSink& sink);
Result<Page> scan_page(const Table& table, const ScanPlan& plan, const Snapshot& snapshot,
                       Call& call, RecordSink& sink);

}  // namespace stator
