// TableDescription as the control-plane operations answer it.
#pragma once

#include <optional>

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"

namespace stator {

// Which description: the operations differ in what they tell (conformance/observed/tables.md 4.6).
struct DescriptionView {
  TableStatus status = TableStatus::Active;
  // Settings as before the change that is just being answered.
  bool shows_settings_before = false;
  bool shows_definitions = true;  // DeleteTable's answer has no key schema
  bool shows_indexes = true;      // nor these
  bool shows_warm = true;         // CreateTable's answer has it only when asked for
  bool shows_on_demand_date = true;
  // What the request being answered changes: UPDATING, whatever the time.
  bool changes_encryption = false;
  // The index that the request being answered creates or deletes: in CREATING and not backfilling,
  // or in DELETING, whatever the time.
  std::string_view changed_index = {};
};

// Writes the member KeySchema of a table, or of what has its keys.
void write_key_schema(JsonWriter& out, const KeyAttribute& partition_key,
                      const std::optional<KeyAttribute>& sort_key);

// Writes the object. Item counts and sizes come from the snapshot.
Result<void> write_table_description(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                                     const DescriptionView& view);

}  // namespace stator
