// The report of a bulk put: files with the records that were not put, and a manifest
// (conformance/observed/bulk.md).
#pragma once

#include "engine/api/engine.h"
#include "engine/schema/bulk_job.h"
#include "server/data/objects/object_store.h"
#include "server/jobs/job_kind.h"

namespace stator {

// Writes the report from its beginning: equal lines give objects of equal names. Returns false if
// `must_stop` said so. REQUIRES: `reader` belongs to this thread.
tl::expected<bool, data::StoreFailure> write_bulk_report(Engine& engine, Engine::Reader& reader,
                                                         const BulkJob& job,
                                                         data::ObjectStore& store,
                                                         const JobKind::MustStop& must_stop);

}  // namespace stator
