#include "engine/schema/bulk_job.h"

#include <algorithm>

#include "engine/schema/job_objects.h"
#include "protocol/service/arn.h"

namespace stator {

std::string_view to_text(BulkStatus status) {
  switch (status) {
    case BulkStatus::InProgress:
      return "IN_PROGRESS";
    case BulkStatus::Completed:
      return "COMPLETED";
    case BulkStatus::CompletedWithErrors:
      return "COMPLETED_WITH_ERRORS";
    case BulkStatus::Cancelling:
      return "CANCELLING";
    case BulkStatus::Cancelled:
      return "CANCELLED";
    case BulkStatus::Failed:
      break;
  }
  return "FAILED";
}

std::string_view to_text(BulkOutput output) {
  return output == BulkOutput::Error ? "ERROR" : "CONDITION_CHECK_FAILURE";
}
std::string_view to_text(BulkTier tier) {
  return tier == BulkTier::Standard ? "STANDARD" : "ACCELERATED";
}

BulkOutput bulk_output_of(std::string_view text) {
  return text == to_text(BulkOutput::Error) ? BulkOutput::Error : BulkOutput::ConditionCheckFailure;
}
BulkTier bulk_tier_of(std::string_view text) {
  return text == to_text(BulkTier::Standard) ? BulkTier::Standard : BulkTier::Accelerated;
}

bool BulkReport::has(BulkOutput type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string BulkJob::arn() const { return bulk_operation_arn(table.arn(), id); }

std::string BulkJob::report_key(std::string_view name) const {
  return job_root_key(request.report.prefix).append(id).append("/").append(name);
}

}  // namespace stator
