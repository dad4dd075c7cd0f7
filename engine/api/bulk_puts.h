// Bulk puts in progress: putting the records of the input, reading the lines of the report, and
// storing how a bulk put ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/schema/bulk_job.h"
#include "protocol/errors/result.h"

namespace stator {

class Engine;
class Snapshot;

// Those of all scopes.
Result<std::vector<BulkJob>> bulk_puts_in_progress(const Snapshot& snapshot);

// A record of the input.
struct BulkRecord {
  // A JSON object with `Item`, and with `ConditionExpression` and its placeholders if it has a
  // condition.
  std::string text;
  std::string problem;  // why it could not be read; there is no text then
  std::string object_key;
  std::uint64_t index = 0;       // in its object
  std::int64_t input_bytes = 0;  // read of all objects, this record included
};

struct BulkPut {
  enum class Outcome : std::uint8_t {
    Put,
    Cancelled,  // the job is to be ended so
    TableGone,  // likewise
    Removed,    // the job, by a reset or a mark
    NotStored,
  };
  Outcome outcome = Outcome::Put;
  std::size_t record_count = 0;  // the first ones; committed, with the job's progress
  std::int64_t units_milli = 0;  // write units of them
  std::string why = {};          // NotStored only
};

// Puts the first records, up to that which reaches `units_milli_max`. Each is put as PutItem does:
// with its condition, index entries and stream record, but at no cost to the table's throughput. A
// record that cannot be put becomes a line of the report. Waits for the commit. No record is put if
// the stored progress is another one than `job` has: there was a rollback to a mark. REQUIRES: the
// records go on where the job's progress is.
BulkPut put_bulk_records(Engine& engine, const BulkJob& job, std::span<const BulkRecord> records,
                         std::int64_t total_input_bytes, std::int64_t units_milli_max);

struct BulkReportLine {
  BulkOutput type{};
  std::string text;  // JSON, without a line break
};
// The next lines of the report, about `bytes_max`, and moves `next` on; none: all are read. `next`
// is zero at the beginning.
Result<std::vector<BulkReportLine>> next_report_lines(const Snapshot& snapshot, const BulkJob& job,
                                                      std::size_t bytes_max, std::uint64_t& next);

// How a bulk put ended. Without a failure code it is cancelled, if that was asked for, or complete.
struct BulkEnd {
  std::int64_t input_bytes = 0;
  std::int64_t total_input_bytes = 0;
  std::string failure_code = {};
  std::string failure_message = {};
};
// Stores the end, and drops the lines of the report; no-op if it is not in progress any more. Waits
// for the commit; returns whether there was one.
bool end_bulk_put(Engine& engine, const BulkJob& job, const BulkEnd& end);

}  // namespace stator
