// ExportTableToPointInTime: stages a job, whose items a chore gathers and the server then writes.

#include <optional>
#include <string>
#include <utility>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/exports/export_description.h"
#include "engine/operations/exports/export_filter.h"
#include "engine/operations/exports/export_requests.h"
#include "engine/operations/exports/export_times.h"
#include "engine/operations/jobs/job_start.h"
#include "engine/operations/jobs/s3_members.h"
#include "engine/state/history.h"
#include "engine/state/item_copies.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

// The plan of FilterSpecification; nullptr if the request has none.
Result<const QueryPlan*> parse_filter(const JsonNode& body, Call& call) {
  const JsonNode* filter = body.find("FilterSpecification");
  if (filter == nullptr) return nullptr;
  if (export_filter_text(*filter) == "{}")
    return invalid_request("Invalid FilterSpecification: The specification can not be empty");
  STATOR_TRY(const QueryPlan plan,
             parse_export_filter(*filter, call.wording, call.arena, call.expressions));
  return call.arena.make<QueryPlan>(plan);
}

ExportRequest request_of(const JsonNode& body, Random& random, Arena& arena) {
  ExportRequest request;
  request.client_token = client_token_of(body, random);
  request.fingerprint = job_fingerprint(body, arena);
  request.bucket = *string_member(body, "S3Bucket");
  request.prefix = stored_text(body, "S3Prefix");
  request.bucket_owner = stored_text(body, "S3BucketOwner");
  request.sse_algorithm = string_member(body, "S3SseAlgorithm").value_or(kDefaultEncryption);
  request.kms_key_id = stored_text(body, "S3SseKmsKeyId");
  if (const auto format = string_member(body, "ExportFormat"))
    request.format = export_format_of(*format);
  if (const auto type = string_member(body, "ExportType")) request.type = export_type_of(*type);
  if (const JsonNode* filter = body.find("FilterSpecification"))
    request.filter = export_filter_text(*filter);
  return request;
}

struct ExportTableToPointInTime {
  static constexpr std::string_view name = "ExportTableToPointInTime";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    std::string_view table_arn;
    const QueryPlan* filter;  // nullptr: all items
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kExportTableToPointInTimeInput));
    STATOR_CHECK(check_constraints(body, model::kExportTableToPointInTimeInput, call.wording));
    STATOR_CHECK(check_client_token(body));
    STATOR_CHECK(check_bucket_members(body, {}));
    const std::string_view text = *string_member(body, "TableArn");
    STATOR_TRY(const TableArn arn, parse_exported_table(text));
    call.table_name = arn.table_name;
    STATOR_CHECK(check_export_type(body));
    STATOR_TRY(const QueryPlan* filter, parse_filter(body, call));
    STATOR_CHECK(check_key_of_encryption(body));
    STATOR_CHECK(check_own_account(arn.account_id, call));
    return call.arena.make<Request>(&body, text, filter);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    ExportJob job;
    job.scope = scope_of(call, call.arena);
    job.request = request_of(*request.body, mutation.random(), call.arena);
    job.started = snapshot.now();
    STATOR_TRY(const auto earlier, repeated_job(job, snapshot));
    if (earlier) return render(*earlier, call);
    STATOR_TRY(const Table* table, backup_table(snapshot, call, request.table_arn));
    STATOR_CHECK(check_recovery(*table));
    if (request.filter != nullptr)
      STATOR_CHECK(fit_export_filter(*request.filter, *table, call.wording, call.arena));
    STATOR_CHECK(set_times(job, *table, *request.body, snapshot, call));
    STATOR_CHECK(make_room_for_job<storage::Exports>(
        job.scope, kExportsMax, "export", snapshot,
        [&](ExportJob&& oldest) { mutation.erase_export(std::move(oldest)); }));
    STATOR_TRY(job.id,
               new_job_id<storage::Exports>(job.scope, table->name, snapshot, mutation.random()));
    job.table = *table;
    STATOR_CHECK(render(job, call));
    mutation.put_export(std::move(job));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_arn});
  }

 private:
  static Result<void> render(const ExportJob& job, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    write_export_description(out, job);
    out.end_object();
    return {};
  }

  // The export that a request with this client token started; empty if this is the first.
  static Result<std::optional<ExportJob>> repeated_job(const ExportJob& job,
                                                       const Snapshot& snapshot) {
    const std::string& fingerprint = job.request.fingerprint;
    if (fingerprint.empty()) return std::optional<ExportJob>();
    return find_repeated_job<storage::Exports>(
        job.scope, job.request.client_token, kExportTokenLife, snapshot,
        [&](const ExportJob& earlier) { return earlier.request.fingerprint == fingerprint; },
        [] {
          return Error(ErrorCode::ExportConflict,
                       "Export conflict: Duplicate request detected with conflicting parameters");
        });
  }

  static Result<void> set_times(ExportJob& job, const Table& table, const JsonNode& body,
                                const Snapshot& snapshot, const Call& call) {
    const auto lag = call.settings->history_lag;
    const RecoveryWindow window = recovery_window(*table.recovery, lag, snapshot.now());
    STATOR_TRY(const ExportTimes times, export_times(body, window, lag, snapshot.now()));
    job.time = times.moment;
    job.request.window = times.window;
    job.copy = ItemCopy{};
    job.copy->source = table.space;
    // Zero: those of the commit.
    if (!times.is_now) {
      STATOR_TRY(const auto first, first_of_history(snapshot.transaction(), table));
      STATOR_TRY(job.copy->first_change,
                 storage::first_change_after(snapshot.transaction(), table.space,
                                             first ? first->number : 0, times.changes_after));
    }
    return {};
  }
};

}  // namespace

Operation export_table_to_point_in_time_row() { return define<ExportTableToPointInTime>(); }

}  // namespace stator
