#include "engine/operations/bulk/bulk_requests.h"

#include <string>
#include <utility>

#include "engine/call/scope.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/service/common_errors.h"

namespace stator {
namespace {

constexpr std::string_view kBulkPart = "/bulk-operation/";

}  // namespace

Result<BulkRequestArn> parse_bulk_request(const JsonNode& body, const TypeSpec& shape, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  STATOR_CHECK(check_constraints(body, shape, call.wording));
  const std::string_view text = *string_member(body, "BulkOperationArn");
  const auto arn = parse_table_arn(text);
  if (!arn || !arn->rest.starts_with(kBulkPart))
    return Error::validation("Invalid Bulk Operation ARN");
  STATOR_CHECK(check_own_account(arn->account_id, call));
  call.table_name = arn->table_name;
  return BulkRequestArn{text, *arn, arn->rest.substr(kBulkPart.size())};
}

Result<BulkJob> find_bulk_job(const BulkRequestArn& arn, const Snapshot& snapshot, Call& call) {
  Error missing = resource_not_found("Bulk operation: " + std::string(arn.text) + " not found");
  const bool may_exist =
      arn.table.region == call.caller.region && arn.id.size() == storage::kBackupIdBytes;
  if (!may_exist) return missing;
  STATOR_TRY(auto job, storage::BulkJobs::find(snapshot.transaction(), scope_of(call, call.arena),
                                               arn.id, arn.table.table_name));
  if (!job || job->is_gone(snapshot.now()) || job->arn() != arn.text) return missing;
  return *std::move(job);
}

void touch_bulk_job(const BulkRequestArn& arn, Resources& touched) {
  touched.push_back({.table = arn.text.substr(0, arn.text.find(kBulkPart))});
}

}  // namespace stator
