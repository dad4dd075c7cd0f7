// Whether the filter and the projection of a plan fit the key schema of what it reads.
#pragma once

#include "engine/pages/read_plan.h"
#include "engine/pages/read_target.h"
#include "protocol/errors/result.h"

namespace stator {

// Of a Query, whose filter names no key.
Result<void> check_paths(const ReadTarget& target, const QueryPlan& plan);
// Of a Scan.
Result<void> check_paths(const ReadTarget& target, const ReadPlan& read);

}  // namespace stator
