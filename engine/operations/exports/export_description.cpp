#include "engine/operations/exports/export_description.h"

#include <algorithm>
#include <string_view>

namespace stator {
namespace {

// What the service bills of an incremental export at least (conformance/observed/exports.md).
constexpr std::int64_t kIncrementalBytesMin = 10'000'000;

void write_time(JsonWriter& out, std::string_view name, Timestamp time) {
  out.key(name);
  out.timestamp_ms(time.unix_ms());
}

void write_optional(JsonWriter& out, std::string_view name,
                    const std::optional<std::string>& text) {
  if (text) out.member(name, std::string_view(*text));
}

void write_request(JsonWriter& out, const ExportRequest& request) {
  out.member("ClientToken", std::string_view(request.client_token));
  out.member("S3Bucket", std::string_view(request.bucket));
  write_optional(out, "S3BucketOwner", request.bucket_owner);
  write_optional(out, "S3Prefix", request.prefix);
  out.member("S3SseAlgorithm", std::string_view(request.sse_algorithm));
  write_optional(out, "S3SseKmsKeyId", request.kms_key_id);
  out.member("ExportFormat", to_text(request.format));
  if (request.type) out.member("ExportType", to_text(*request.type));
  if (request.filter) {
    out.key("FilterSpecification");
    out.raw(*request.filter);
  }
  if (!request.window) return;
  out.key("IncrementalExportSpecification");
  out.begin_object();
  write_time(out, "ExportFromTime", request.window->from);
  write_time(out, "ExportToTime", request.window->to);
  out.member("ExportViewType", to_text(request.window->view));
  out.end_object();
}

void write_end(JsonWriter& out, const ExportJob& job) {
  if (job.is_in_progress()) return;
  write_time(out, "EndTime", job.ended);
  if (job.status == ExportStatus::Failed) {
    out.member("FailureCode", std::string_view(job.failure_code));
    out.member("FailureMessage", std::string_view(job.failure_message));
    return;
  }
  out.member("ExportManifest", std::string_view(job.object_key("manifest-summary.json")));
  out.member("BilledSizeBytes",
             job.request.window ? std::max(kIncrementalBytesMin, job.size_bytes) : job.size_bytes);
  out.member("ItemCount", job.item_count);
}

}  // namespace

ExportType type_of(const ExportJob& job) {
  return job.request.window ? ExportType::Incremental : ExportType::Full;
}

void write_export_description(JsonWriter& out, const ExportJob& job) {
  out.key("ExportDescription");
  out.begin_object();
  out.member("ExportArn", std::string_view(job.arn()));
  out.member("ExportStatus", to_text(job.status));
  write_time(out, "StartTime", job.started);
  out.member("TableArn", std::string_view(job.table.arn()));
  out.member("TableId", std::string_view(job.table.id));
  if (!job.request.window) write_time(out, "ExportTime", job.time);
  write_request(out, job.request);
  out.member("DestinationType", "S3");
  write_end(out, job);
  out.end_object();
}

}  // namespace stator
