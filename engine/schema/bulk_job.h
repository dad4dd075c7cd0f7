// Bulk puts: what StartBulkPutItems asked for, and how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/export_job.h"
#include "engine/schema/job_objects.h"
#include "engine/schema/space.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

enum class BulkStatus : std::uint8_t {
  InProgress,
  Completed,
  CompletedWithErrors,
  Cancelling,
  Cancelled,
  Failed
};
// The kinds of lines in its report.
enum class BulkOutput : std::uint8_t { Error, ConditionCheckFailure };
enum class BulkTier : std::uint8_t { Standard, Accelerated };

// Names on the wire.
std::string_view to_text(BulkStatus status);
std::string_view to_text(BulkOutput output);
std::string_view to_text(BulkTier tier);
// REQUIRES: a name on the wire.
BulkOutput bulk_output_of(std::string_view text);
BulkTier bulk_tier_of(std::string_view text);

// How long a bulk put can be described, and its client token repeated. At kBulkJobsMax of a scope a
// new one replaces the oldest that has ended.
inline constexpr std::chrono::hours kBulkJobLife{24 * 90};
inline constexpr std::chrono::hours kBulkTokenLife{8};
inline constexpr std::size_t kBulkJobsMax = 1000;

// Members of the request; what it left out has its default, or is empty if it has none.
struct BulkInput {
  std::string bucket;
  std::optional<std::string> prefix;
  std::optional<std::string> bucket_owner;
  ExportFormat format = ExportFormat::DynamodbJson;
  ObjectCompression compression = ObjectCompression::None;
};
struct BulkReport {
  std::string bucket;
  std::optional<std::string> prefix;
  std::optional<std::string> bucket_owner;
  std::string sse_algorithm;
  std::optional<std::string> kms_key_id;
  std::vector<BulkOutput> types;

  bool has(BulkOutput type) const;
};
struct BulkRequest {
  std::string client_token;
  std::string fingerprint;  // any bytes; empty if the request had no token
  BulkInput input;
  BulkReport report;
  std::optional<std::int64_t> units_per_second_max;  // write units
  BulkTier tier = BulkTier::Standard;
};

// Billed bytes that were written to an index.
struct BulkIndexBytes {
  std::string name;
  bool is_local = false;
  std::int64_t size_bytes = 0;
};

// What is done. It changes in the commits of the items themselves, so it is exact at any time.
struct BulkProgress {
  // Where the input goes on: after this many records of the object. Objects are read in the order
  // of their keys; an empty key stands before all.
  std::string object_key;
  std::uint64_t object_records = 0;
  std::int64_t item_count = 0;  // records that were read, whatever their outcome
  std::int64_t error_count = 0;
  std::int64_t condition_failure_count = 0;
  std::int64_t input_bytes = 0;  // of objects as they are stored
  std::int64_t total_input_bytes = 0;
  std::int64_t table_bytes = 0;  // billed bytes that were written to the table
  std::vector<BulkIndexBytes> indexes;
  std::uint64_t report_lines = 0;  // in the job's space
};

struct BulkJob {
  std::string scope;  // which requests can use it (Isolation)
  std::string id;     // 01489602797149-73d8d5bc; in the order of their starts
  Table table;        // as it was
  BulkRequest request;
  Timestamp started;
  BulkStatus status = BulkStatus::InProgress;
  Timestamp ended;  // zero while it is in progress
  BulkProgress progress;
  std::string failure_code = {};  // Failed only
  std::string failure_message = {};
  storage::SpaceId space{};  // lines of the report; a new job has space zero until it is applied

  bool is_in_progress() const {
    return status == BulkStatus::InProgress || status == BulkStatus::Cancelling;
  }
  bool is_gone(Timestamp now) const { return !is_in_progress() && now >= ended.plus(kBulkJobLife); }
  std::string arn() const;
  // The key of an object of its report: "PREFIX/AWSDynamoDB/ID/NAME".
  std::string report_key(std::string_view name) const;
};

}  // namespace stator
