// Checks what stands beside tables and jobs: tokens, throughput, spaces to be removed, nodes of
// long keys, counters, marks with the undo log, and documents.
#pragma once

#include "engine/data_folder/data_folder.h"
#include "engine/data_folder/stored_state.h"
#include "engine/storage/environment/environment.h"
#include "protocol/errors/result.h"

namespace stator {

Result<void> check_beside(const StoredState& state, const storage::Environment& environment,
                          const CheckDocument& check_document);

}  // namespace stator
