#include "engine/operations/imports/import_description.h"

#include <string>
#include <string_view>

namespace stator {
namespace {

void write_time(JsonWriter& out, std::string_view name, Timestamp time) {
  out.key(name);
  out.timestamp_ms(time.unix_ms());
}

void write_source(JsonWriter& out, const ImportRequest& request) {
  out.key("S3BucketSource");
  out.begin_object();
  out.member("S3BucketOwner", std::string_view(request.bucket_owner));
  out.member("S3Bucket", std::string_view(request.bucket));
  if (request.prefix) out.member("S3KeyPrefix", std::string_view(*request.prefix));
  out.end_object();
}

void write_log_group(JsonWriter& out, const Table& table) {
  std::string arn = "arn:aws:logs:";
  arn.append(table.region).append(":").append(table.account_id);
  arn += ":log-group:/aws-dynamodb/imports:*";
  out.member("CloudWatchLogGroupArn", std::string_view(arn));
}

void write_times(JsonWriter& out, const ImportJob& job) {
  write_time(out, "StartTime", job.started);
  if (!job.is_in_progress()) write_time(out, "EndTime", job.ended);
}

}  // namespace

void write_import_description(JsonWriter& out, const ImportJob& job) {
  const ImportRequest& request = job.request;
  out.key("ImportTableDescription");
  out.begin_object();
  out.member("ImportArn", std::string_view(job.arn()));
  out.member("ImportStatus", to_text(job.status));
  out.member("TableArn", std::string_view(job.table.arn()));
  out.member("TableId", std::string_view(job.table.id));
  out.member("ClientToken", std::string_view(request.client_token));
  write_source(out, request);
  out.member("ErrorCount", job.progress.error_count);
  write_log_group(out, job.table);
  out.member("InputFormat", to_text(request.format));
  if (!request.options_json.empty()) {
    out.key("InputFormatOptions");
    out.raw(request.options_json);
  }
  out.member("InputCompressionType", to_text(request.compression));
  out.key("TableCreationParameters");
  out.raw(request.table_json);
  write_times(out, job);
  out.member("ProcessedSizeBytes", job.progress.processed_bytes);
  out.member("ProcessedItemCount", job.progress.processed_items);
  out.member("ImportedItemCount", job.progress.imported_items);
  if (job.status == ImportStatus::Failed) {
    out.member("FailureCode", std::string_view(job.failure_code));
    out.member("FailureMessage", std::string_view(job.failure_message));
  }
  out.end_object();
}

void write_import_summary(JsonWriter& out, const ImportJob& job) {
  out.begin_object();
  out.member("ImportArn", std::string_view(job.arn()));
  out.member("ImportStatus", to_text(job.status));
  out.member("TableArn", std::string_view(job.table.arn()));
  write_source(out, job.request);
  write_log_group(out, job.table);
  out.member("InputFormat", to_text(job.request.format));
  write_times(out, job);
  out.end_object();
}

}  // namespace stator
