// Writes one export to a store: its data files, then the manifests.
#pragma once

#include <functional>

#include "engine/api/engine.h"
#include "engine/schema/export_job.h"
#include "server/data/objects/object_store.h"

namespace stator {

enum class ExportOutcome : std::uint8_t {
  Ended,        // complete or failed, and stored so
  Interrupted,  // to be written again
  Removed,      // by a reset or a mark meanwhile
  StoreFailed,  // its end could not be stored; to be written again
};

// From the beginning, also one that an earlier process left: equal items give objects of equal
// names. `must_stop` is asked between pieces. REQUIRES: job.is_ready(); `reader` belongs to this
// thread.
ExportOutcome write_export(Engine& engine, Engine::Reader& reader, const ExportJob& job,
                           data::ObjectStore& store, const std::function<bool()>& must_stop);

}  // namespace stator
