// Checks what follows tables: the consumers of their journals, the journals, streams with their
// shards, and the history of point-in-time recovery.
#pragma once

#include "engine/data_folder/stored_state.h"
#include "protocol/errors/result.h"

namespace stator {

Result<void> check_followers(const StoredState& state);

}  // namespace stator
