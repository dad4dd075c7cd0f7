// Which control-plane requests a table's state rejects (conformance/observed/tables.md 4.2).
#pragma once

#include <optional>
#include <string>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

// "Attempt to change a resource which is still in use: " + tail.
Error still_in_use(const std::string& tail);

// "… Table: T Stream: L Operation: ENABLE", for an unfinished change of the table's stream.
// REQUIRES: table.stream.
Error stream_in_use(const Table& table, const std::string& text);

// The class that an unfinished change will give the table; empty if none.
std::optional<TableClass> class_update(const Table& table, Timestamp now);
// Whether a change to provisioned mode is unfinished.
bool leaves_on_demand(const Table& table, Timestamp now);

// class_update() as a text: " TableClassUpdateInProgress: STANDARD". REQUIRES: class_update() is
// not empty.
std::string class_update_text(const Table& table);

// Reject changes (deletions) while the table is CREATING or DELETING.
Result<void> check_changeable(const Table& table, Timestamp now);
Result<void> check_deletable(const Table& table, Timestamp now);

}  // namespace stator
