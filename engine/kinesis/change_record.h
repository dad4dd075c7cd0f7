// Change records: changes of a table's items, as its Kinesis destination gets them
// (conformance/observed/kinesis.md 3).
#pragma once

#include <cstdint>
#include <string>

#include "engine/schema/table.h"
#include "engine/storage/stores/journal.h"
#include "protocol/errors/result.h"

namespace stator {

struct KinesisChangeRecord {
  std::uint64_t change = 0;  // its number in the journal
  Timestamp written;
  std::string partition_key;  // 32 upper-case hex digits, the same for all changes of an item
  std::string data;           // JSON
};

// The record of a journal entry of the table. A repeated call returns the same, with the same id.
// Throws storage::DamagedData on damaged items.
Result<KinesisChangeRecord> kinesis_change_record(const Table& table,
                                                  const KinesisDestination& destination,
                                                  const storage::NumberedEntry& entry);

}  // namespace stator
