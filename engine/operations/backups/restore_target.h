// The table that a restore makes: what of the source it has, and the overrides of the request.
#pragma once

#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Checks that need no stored data and are the same for both restores: types and constraints. Sets
// the call's table name to that of the new table.
Result<void> check_restore_body(const JsonNode& body, const TypeSpec& shape, Call& call);

// Checks that the table can be made: no table of its name, restored or not, and not too many
// restores at once.
Result<void> check_restore_target(const Snapshot& snapshot, const Call& call);

// The new table, CREATING, without data (conformance/observed/backups.md 4). Errors: overrides that
// do not fit the source or each other. `restore` says where its items come from.
Result<Table> restored_table(const Table& source, Restore restore, const JsonNode& body,
                             const Snapshot& snapshot, Random& random, const Call& call);

// The actions on items that a restore needs on the new table, besides its own.
void touch_restored_items(std::string_view table_name, Resources& touched);

// Renders the response of both restores.
Result<void> render_restored(const Table& table, const Snapshot& snapshot, Call& call);

}  // namespace stator
