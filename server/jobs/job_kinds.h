// The list of all kinds of jobs.
#pragma once

#include <memory>
#include <vector>

#include "server/data/objects/object_store.h"
#include "server/jobs/job_kind.h"

namespace stator {

using JobKinds = std::vector<std::unique_ptr<JobKind>>;

// One of each kind. Engine and store must outlive them.
JobKinds all_job_kinds(Engine& engine, data::ObjectStore& store);

}  // namespace stator
