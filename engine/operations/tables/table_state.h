// Which control-plane request a table's state refuses (conformance/observed/tables.md 4.2).
#pragma once

#include <optional>
#include <string>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/result.h"

namespace stator {

// "Attempt to change a resource which is still in use: " + tail.
Error still_in_use(const std::string& tail);

// "… Table: T Stream: L Operation: ENABLE", of a change of the table's stream that goes on.
// REQUIRES: table.stream.
Error stream_in_use(const Table& table, const std::string& text);

// The class that the table gets while its change goes on; empty: none does.
std::optional<TableClass> class_update(const Table& table, Timestamp now);
// Whether a change to provisioned mode goes on.
bool leaves_on_demand(const Table& table, Timestamp now);

// The same as a text: " TableClassUpdateInProgress: STANDARD". REQUIRES: there is one.
std::string class_update_text(const Table& table);

// CREATING and DELETING refuse every change.
Result<void> check_changeable(const Table& table, Timestamp now);
Result<void> check_deletable(const Table& table, Timestamp now);

}  // namespace stator
