// Runs one import: reads the objects, makes the table and puts their items.
#pragma once

#include <cstdint>

#include "engine/api/engine.h"
#include "engine/schema/import_job.h"
#include "server/data/objects/object_store.h"
#include "server/jobs/job_kind.h"

namespace stator {

enum class ImportOutcome : std::uint8_t {
  Ended,        // complete or failed, and stored so
  Interrupted,  // goes on where it is
  Elsewhere,    // removed or set back by a reset or a mark meanwhile
  StoreFailed,  // its end could not be stored; to be tried again
};

// From the stored progress on, also that of an earlier process. Items and progress are stored
// together, in commits of some hundred items. `must_stop` is asked between records.
ImportOutcome run_import(Engine& engine, ImportJob job, data::ObjectStore& store,
                         const JobKind::MustStop& must_stop);

}  // namespace stator
