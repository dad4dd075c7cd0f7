// StartBulkPutItems: stores a job, whose items a thread of the server reads and puts.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/call/scope.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/bulk/bulk_description.h"
#include "engine/operations/define.h"
#include "engine/operations/jobs/job_start.h"
#include "engine/operations/jobs/s3_members.h"
#include "engine/operations/transactions/client_tokens.h"
#include "engine/state/item_copies.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "protocol/model/shapes.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

BulkInput input_of(const JsonNode& node) {
  BulkInput input;
  input.bucket = *string_member(node, "S3Bucket");
  input.prefix = stored_text(node, "S3KeyPrefix");
  input.bucket_owner = stored_text(node, "S3BucketOwner");
  input.format = export_format_of(*string_member(node, "InputFormat"));
  if (const auto compression = string_member(node, "InputCompressionType"))
    input.compression = object_compression_of(*compression);
  return input;
}

BulkReport report_of(const JsonNode& node) {
  BulkReport report;
  report.bucket = *string_member(node, "S3Bucket");
  report.prefix = stored_text(node, "S3KeyPrefix");
  report.bucket_owner = stored_text(node, "S3BucketOwner");
  report.sse_algorithm = string_member(node, "S3SseAlgorithm").value_or(kDefaultEncryption);
  report.kms_key_id = stored_text(node, "S3SseKmsKeyId");
  for (const JsonNode& type : list_member(node, "OutputType")) {
    const BulkOutput output = bulk_output_of(type.text());
    if (!report.has(output)) report.types.push_back(output);
  }
  return report;
}

Result<void> check_report(const JsonNode& node) {
  if (!string_member(node, "S3Bucket"))
    return invalid_parameter("S3Bucket must be specified in OutputS3Configuration");
  if (list_member(node, "OutputType").empty())
    return invalid_parameter("OutputType must have at least one value");
  return check_key_of_encryption(node);
}

struct StartBulkPutItems {
  static constexpr std::string_view name = "StartBulkPutItems";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kStartBulkPutItemsInput, call));
    const JsonNode& input = *body.find("InputS3Configuration");
    const JsonNode& output = *body.find("OutputS3Configuration");
    STATOR_CHECK(check_client_token(body));
    STATOR_CHECK(check_bucket_members(input, "inputS3Configuration."));
    STATOR_CHECK(check_bucket_members(output, "outputS3Configuration."));
    STATOR_CHECK(check_report(output));
    return call.arena.make<Request>(&body, *string_member(body, "TableName"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    BulkJob job;
    job.scope = scope_of(call, call.arena);
    job.request = request_of(*request.body, mutation.random(), call.arena);
    job.started = snapshot.now();
    STATOR_TRY(const auto earlier, repeated_job(job, snapshot));
    if (earlier) return render(*earlier, call);
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    STATOR_CHECK(check_table(*table, snapshot.now()));
    STATOR_CHECK(make_room_for_job<storage::BulkJobs>(
        job.scope, kBulkJobsMax, "bulk", snapshot,
        [&](BulkJob&& oldest) { mutation.erase_bulk_job(std::move(oldest)); }));
    STATOR_TRY(job.id,
               new_job_id<storage::BulkJobs>(job.scope, table->name, snapshot, mutation.random()));
    job.table = *table;
    STATOR_CHECK(render(job, call));
    mutation.put_bulk_job(std::move(job));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }

 private:
  static BulkRequest request_of(const JsonNode& body, Random& random, Arena& arena) {
    BulkRequest request;
    request.client_token = client_token_of(body, random);
    request.fingerprint = job_fingerprint(body, arena);
    request.input = input_of(*body.find("InputS3Configuration"));
    request.report = report_of(*body.find("OutputS3Configuration"));
    request.units_per_second_max = integer_member(body, "MaxWriteRequestUnits");
    if (const auto tier = string_member(body, "PerformanceTier"))
      request.tier = bulk_tier_of(*tier);
    return request;
  }

  static Result<void> render(const BulkJob& job, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    write_bulk_description(out, job);
    out.end_object();
    return {};
  }

  static Result<void> check_table(const Table& table, Timestamp now) {
    STATOR_CHECK(check_changeable(table, now));
    const bool gets_index = std::any_of(
        table.global_indexes.begin(), table.global_indexes.end(),
        [&](const GlobalIndex& index) { return index.status(now) == TableStatus::Creating; });
    if (gets_index)
      return still_in_use("Table: " + table.name + " is in the process of being updated.");
    return {};
  }

  // The bulk put that a request with this client token started; empty if this is the first.
  static Result<std::optional<BulkJob>> repeated_job(const BulkJob& job, const Snapshot& snapshot) {
    const std::string& fingerprint = job.request.fingerprint;
    if (fingerprint.empty()) return std::optional<BulkJob>();
    return find_repeated_job<storage::BulkJobs>(
        job.scope, job.request.client_token, kBulkTokenLife, snapshot,
        [&](const BulkJob& earlier) { return earlier.request.fingerprint == fingerprint; },
        token_mismatch);
  }
};

}  // namespace

Operation start_bulk_put_items_row() { return define<StartBulkPutItems>(); }

}  // namespace stator
