#include "engine/operations/exports/export_times.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/jobs/s3_members.h"
#include "engine/seams/iso_time.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::chrono::minutes kWindowMin{15};
constexpr std::chrono::hours kWindowMax{24};

Error invalid_time(std::string why) { return Error(ErrorCode::InvalidExportTime, std::move(why)); }

// A time that the clock can tell, as text.
std::string text_of(Timestamp time) { return iso_extended(std::max(time, Timestamp{})); }

Result<ExportTimes> full_times(const JsonNode& body, const RecoveryWindow& window, Timestamp now) {
  const auto moment = time_member(body, "ExportTime");
  if (!moment) return ExportTimes{now, {}, /*is_now=*/true, {}};
  const Timestamp end = end_of_moment(*moment);
  if (*moment > now || end < window.begin) return invalid_time("Export Time is invalid");
  if (!window.includes(*moment))
    return invalid_time("Point in Time Recovery is not available for specified export time");
  return ExportTimes{*moment, {}, /*is_now=*/end >= now, end};
}

Result<ExportTimes> incremental_times(const JsonNode& spec, const RecoveryWindow& window,
                                      Timestamp latest, Timestamp now) {
  const auto from = time_member(spec, "ExportFromTime");
  if (!from)
    return invalid_request("ExportFromTime must be provided in IncrementalExportSpecification");
  ExportWindow asked{*from, time_member(spec, "ExportToTime").value_or(latest)};
  if (const auto view = string_member(spec, "ExportViewType")) asked.view = export_view_of(*view);
  if (asked.from < window.earliest) {
    return invalid_time(
        "Incremental export period from time cannot be less than the table creation time : " +
        text_of(window.earliest));
  }
  if (asked.to > now) {
    return invalid_time(
        "Incremental export period to time cannot be greater than the current time : " +
        text_of(now));
  }
  constexpr std::string_view kDifference =
      "Difference between export period from time and export period to time is ";
  if (asked.to < asked.from.plus(kWindowMin))
    return invalid_time(std::string(kDifference) + "less than 15 minutes");
  if (asked.to > asked.from.plus(kWindowMax))
    return invalid_time(std::string(kDifference) + "more than 24 hours");
  // The window begins with changes at its first time.
  return ExportTimes{asked.to, asked, /*is_now=*/false,
                     asked.from.plus(-std::chrono::microseconds(1))};
}

}  // namespace

Result<void> check_export_type(const JsonNode& body) {
  const JsonNode* spec = body.find("IncrementalExportSpecification");
  const auto type = string_member(body, "ExportType");
  if (spec != nullptr && !type) {
    return invalid_request(
        "Export Type expected to be Incremental Export when incremental export specification is "
        "provided");
  }
  const bool is_incremental = type == to_text(ExportType::Incremental);
  if (spec != nullptr && !is_incremental) {
    return invalid_request(
        "When Export Type is Full Export , Incremental Export Specification should not be "
        "provided");
  }
  if (spec == nullptr && is_incremental) {
    return invalid_request(
        "Incremental Export Specification expected when export type is set as Incremental Export");
  }
  return {};
}

Result<ExportTimes> export_times(const JsonNode& body, const RecoveryWindow& window,
                                 std::chrono::microseconds lag, Timestamp now) {
  const JsonNode* spec = body.find("IncrementalExportSpecification");
  if (spec == nullptr) return full_times(body, window, now);
  // To the microsecond, so that a window up to now has the last changes.
  return incremental_times(*spec, window, std::max(window.begin, now.plus(-lag)), now);
}

}  // namespace stator
