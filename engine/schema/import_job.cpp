#include "engine/schema/import_job.h"

#include "protocol/service/arn.h"

namespace stator {

std::string_view to_text(ImportStatus status) {
  switch (status) {
    case ImportStatus::InProgress:
      return "IN_PROGRESS";
    case ImportStatus::Completed:
      return "COMPLETED";
    case ImportStatus::Failed:
      break;
  }
  return "FAILED";
}

std::string_view to_text(ImportFormat format) {
  switch (format) {
    case ImportFormat::DynamodbJson:
      return "DYNAMODB_JSON";
    case ImportFormat::Ion:
      return "ION";
    case ImportFormat::Csv:
      break;
  }
  return "CSV";
}

ImportFormat import_format_of(std::string_view text) {
  if (text == to_text(ImportFormat::Csv)) return ImportFormat::Csv;
  return text == to_text(ImportFormat::Ion) ? ImportFormat::Ion : ImportFormat::DynamodbJson;
}

std::string ImportJob::arn() const { return import_arn(table.arn(), id); }

}  // namespace stator
