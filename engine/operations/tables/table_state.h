// Which control-plane request a table's state refuses (conformance/observed/tables.md 4.2).
#pragma once

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/result.h"

namespace stator {

// "Attempt to change a resource which is still in use: " + tail.
Error still_in_use(const std::string& tail);

// CREATING and DELETING refuse every change.
Result<void> check_changeable(const Table& table, Timestamp now);
Result<void> check_deletable(const Table& table, Timestamp now);

}  // namespace stator
