#include "engine/operations/bulk/bulk_description.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace stator {
namespace {

void write_optional(JsonWriter& out, std::string_view name,
                    const std::optional<std::string>& text) {
  if (text) out.member(name, std::string_view(*text));
}

void write_identity(JsonWriter& out, const BulkJob& job) {
  out.member("BulkOperationArn", std::string_view(job.arn()));
  out.member("BulkOperationStatus", to_text(job.status));
}

void write_times(JsonWriter& out, const BulkJob& job) {
  out.key("StartTime");
  out.timestamp_ms(job.started.unix_ms());
  if (job.is_in_progress()) return;
  out.key("EndTime");
  out.timestamp_ms(job.ended.unix_ms());
}

void write_input(JsonWriter& out, const BulkInput& input) {
  out.key("InputS3Configuration");
  out.begin_object();
  write_optional(out, "S3BucketOwner", input.bucket_owner);
  out.member("S3Bucket", std::string_view(input.bucket));
  write_optional(out, "S3KeyPrefix", input.prefix);
  out.member("InputFormat", to_text(input.format));
  out.member("InputCompressionType", to_text(input.compression));
  out.end_object();
}

void write_report(JsonWriter& out, const BulkReport& report) {
  out.key("OutputS3Configuration");
  out.begin_object();
  write_optional(out, "S3BucketOwner", report.bucket_owner);
  out.member("S3Bucket", std::string_view(report.bucket));
  write_optional(out, "S3KeyPrefix", report.prefix);
  out.member("S3SseAlgorithm", std::string_view(report.sse_algorithm));
  write_optional(out, "S3SseKmsKeyId", report.kms_key_id);
  out.key("OutputType");
  out.begin_array();
  for (const BulkOutput type : report.types) out.string(to_text(type));
  out.end_array();
  out.end_object();
}

void write_bytes(JsonWriter& out, std::string_view name, std::int64_t size_bytes) {
  out.key(name);
  out.begin_object();
  out.member("BulkPutBytes", size_bytes);
  out.end_object();
}

void write_indexes(JsonWriter& out, std::string_view name, bool is_local,
                   const std::vector<BulkIndexBytes>& indexes) {
  const bool has_any = std::any_of(indexes.begin(), indexes.end(), [&](const BulkIndexBytes& one) {
    return one.is_local == is_local;
  });
  if (!has_any) return;
  out.key(name);
  out.begin_object();
  for (const BulkIndexBytes& one : indexes) {
    if (one.is_local == is_local) write_bytes(out, one.name, one.size_bytes);
  }
  out.end_object();
}

void write_usage(JsonWriter& out, const BulkJob& job) {
  const BulkProgress& progress = job.progress;
  out.key("BulkOperationUsage");
  out.begin_array();
  out.begin_object();
  out.member("TableName", std::string_view(job.table.name));
  out.member("BulkPutBytes",
             std::accumulate(
                 progress.indexes.begin(), progress.indexes.end(), progress.table_bytes,
                 [](std::int64_t sum, const BulkIndexBytes& one) { return sum + one.size_bytes; }));
  write_bytes(out, "Table", progress.table_bytes);
  write_indexes(out, "LocalSecondaryIndexes", /*is_local=*/true, progress.indexes);
  write_indexes(out, "GlobalSecondaryIndexes", /*is_local=*/false, progress.indexes);
  out.end_object();
  out.end_array();
}

void write_counts(JsonWriter& out, const BulkJob& job) {
  const BulkProgress& progress = job.progress;
  out.member("ProcessedItemCount", progress.item_count);
  out.member("ProcessedInputBytes", progress.input_bytes);
  out.member("TotalInputBytes", progress.total_input_bytes);
  write_usage(out, job);
  out.member("FailedItemCount", progress.error_count);
}

}  // namespace

void write_bulk_description(JsonWriter& out, const BulkJob& job) {
  out.key("BulkOperationDescription");
  out.begin_object();
  write_identity(out, job);
  out.key("TableDetails");
  out.begin_array();
  out.begin_object();
  out.member("TableName", std::string_view(job.table.name));
  out.member("TableId", std::string_view(job.table.id));
  out.end_object();
  out.end_array();
  out.member("ClientToken", std::string_view(job.request.client_token));
  write_input(out, job.request.input);
  write_report(out, job.request.report);
  write_times(out, job);
  write_counts(out, job);
  if (job.status == BulkStatus::Failed) {
    out.member("FailureCode", std::string_view(job.failure_code));
    out.member("FailureMessage", std::string_view(job.failure_message));
  }
  if (job.request.units_per_second_max)
    out.member("MaxWriteRequestUnits", *job.request.units_per_second_max);
  out.member("PerformanceTier", to_text(job.request.tier));
  out.end_object();
}

void write_bulk_summary(JsonWriter& out, const BulkJob& job) {
  out.begin_object();
  write_identity(out, job);
  write_times(out, job);
  out.end_object();
}

}  // namespace stator
