// Writes TableDescription for responses of control-plane operations.
#pragma once

#include <string_view>

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_writer.h"

namespace stator {

// Which description to write: operations differ in their members (conformance/observed/tables.md
// 4.6).
struct DescriptionView {
  TableStatus status = TableStatus::Active;
  // Settings from before the change that this response reports.
  bool shows_settings_before = false;
  bool shows_definitions = true;  // DeleteTable's response has no key schema
  bool shows_indexes = true;      // nor indexes
  bool shows_warm = true;         // CreateTable's response has it only if requested
  bool shows_on_demand_date = true;
  // Whether this request changes it: then UPDATING, whatever the time.
  bool changes_encryption = false;
  // The index that this request creates or deletes: CREATING and not backfilling, or DELETING,
  // whatever the time.
  std::string_view changed_index = {};
};

// Writes the object. Item counts and sizes are from the snapshot.
Result<void> write_table_description(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                                     const DescriptionView& view);

// Parts of it that descriptions of backups have too. `write_on_demand` writes nothing if no maximum
// is set.
void write_projection(JsonWriter& out, const Projection& projection);
void write_on_demand(JsonWriter& out, const OnDemandThroughput& on_demand);
void write_encryption(JsonWriter& out, const Encryption& encryption, bool is_updating);

}  // namespace stator
