// The times that a request for an export names: the moment of a full one, the window of an
// incremental one.
#pragma once

#include <chrono>
#include <optional>

#include "engine/schema/export_job.h"
#include "engine/seams/clock.h"
#include "engine/state/history.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Checks whether ExportType and IncrementalExportSpecification fit together.
Result<void> check_export_type(const JsonNode& body);

struct ExportTimes {
  Timestamp moment;                    // of the items; of an incremental export the window's end
  std::optional<ExportWindow> window;  // of an incremental export
  bool is_now = false;                 // the items are those of the commit
  // Unless is_now: changes after this time are undone, or, of an incremental export, read.
  Timestamp changes_after;
};

// `lag` is Settings::history_lag. REQUIRES: check_export_type() has passed.
Result<ExportTimes> export_times(const JsonNode& body, const RecoveryWindow& window,
                                 std::chrono::microseconds lag, Timestamp now);

}  // namespace stator
