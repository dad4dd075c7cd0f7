// The items of an incremental export: those that changed in its window.
#pragma once

#include "engine/maintenance/chores/chore.h"
#include "engine/schema/export_job.h"
#include "protocol/errors/result.h"

namespace stator {

// Reads the next changes of the source's journal, starting with the copy's first. Stages one record
// per item, under the item's key, in the export's space: its attributes are Keys, OldImage (before
// the first change) and NewImage (after the last); its stamp is that of the last change. Advances
// the copy, whose undone_from is the next change to read. Returns whether it has read all changes
// of the window. REQUIRES: job.request.window.
Result<bool> gather_changed_items(ItemCopy& copy, const ExportJob& job, ChorePiece& piece);

}  // namespace stator
