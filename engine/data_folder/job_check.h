// Checks backups, exports, imports, bulk puts, restores and hosted streams of Kinesis: what their
// descriptions say against each other and against the records of their spaces.
#pragma once

#include "engine/data_folder/stored_state.h"
#include "protocol/errors/result.h"

namespace stator {

Result<void> check_jobs(const StoredState& state);

}  // namespace stator
