#include "engine/operations/exports/export_requests.h"

#include <cstdint>
#include <string>

#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/jobs/job_pages.h"
#include "engine/operations/jobs/s3_members.h"
#include "protocol/service/common_errors.h"

namespace stator {
namespace {

constexpr std::string_view kExportPart = "/export/";
// The largest page, which the model has too.
constexpr std::int64_t kPageMax = 25;

}  // namespace

Result<TableArn> parse_exported_table(std::string_view text) {
  const auto arn = parse_table_arn(text);
  if (!arn) return invalid_parameter("tableArn is not a valid ARN");
  if (!arn->rest.empty()) return invalid_request("Table ARN is invalid.");
  return *arn;
}

Result<JobListRequest> parse_job_list(const JsonNode& body, const TypeSpec& shape,
                                      std::string_view count_member, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  STATOR_CHECK(check_constraints(body, shape, call.wording));
  const auto table_arn = string_member(body, "TableArn");
  if (table_arn) {
    STATOR_TRY(const TableArn arn, parse_exported_table(*table_arn));
    STATOR_CHECK(check_own_account(arn.account_id, call));
    call.table_name = arn.table_name;
  }
  STATOR_TRY(const auto before, page_start(body, call));
  const auto count_max = integer_member(body, count_member).value_or(kPageMax);
  return JobListRequest{table_arn, static_cast<std::size_t>(count_max), before};
}

Result<ExportArn> parse_export_arn(std::string_view text) {
  const auto arn = parse_table_arn(text);
  if (!arn || !arn->rest.starts_with(kExportPart)) return Error::validation("Invalid Export ARN");
  return ExportArn{*arn, arn->rest.substr(kExportPart.size())};
}

}  // namespace stator
