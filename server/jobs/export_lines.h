// The lines of an export's data files (conformance/observed/exports.md).
#pragma once

#include <string>

#include "engine/api/ready_exports.h"
#include "engine/schema/export_job.h"

namespace stator {

// Appends the line of an entry, with its line break. False: it has none, because the item was made
// and deleted in the window of an incremental export.
bool append_export_line(std::string& out, const ExportJob& job, const ReadyExports::Entry& entry);

}  // namespace stator
