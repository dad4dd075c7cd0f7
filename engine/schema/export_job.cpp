#include "engine/schema/export_job.h"

#include "engine/schema/job_objects.h"
#include "protocol/service/arn.h"

namespace stator {

std::string_view to_text(ExportStatus status) {
  switch (status) {
    case ExportStatus::InProgress:
      return "IN_PROGRESS";
    case ExportStatus::Completed:
      return "COMPLETED";
    case ExportStatus::Failed:
      break;
  }
  return "FAILED";
}

std::string_view to_text(ExportFormat format) {
  return format == ExportFormat::Ion ? "ION" : "DYNAMODB_JSON";
}
std::string_view to_text(ExportType type) {
  return type == ExportType::Full ? "FULL_EXPORT" : "INCREMENTAL_EXPORT";
}
std::string_view to_text(ExportView view) {
  return view == ExportView::NewImage ? "NEW_IMAGE" : "NEW_AND_OLD_IMAGES";
}

ExportFormat export_format_of(std::string_view text) {
  return text == to_text(ExportFormat::Ion) ? ExportFormat::Ion : ExportFormat::DynamodbJson;
}
ExportType export_type_of(std::string_view text) {
  return text == to_text(ExportType::Full) ? ExportType::Full : ExportType::Incremental;
}
ExportView export_view_of(std::string_view text) {
  return text == to_text(ExportView::NewImage) ? ExportView::NewImage : ExportView::NewAndOldImages;
}

std::string ExportJob::arn() const { return export_arn(table.arn(), id); }

std::string ExportJob::object_key(std::string_view name) const {
  return job_root_key(request.prefix).append(id).append("/").append(name);
}

std::string ExportJob::data_key(std::string_view name) const {
  if (!request.window) return object_key("data/").append(name);
  return job_root_key(request.prefix).append("data/").append(name);
}

}  // namespace stator
