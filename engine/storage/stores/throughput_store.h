// Throughput store: by space, the throughput state of tables and global indexes that their
// descriptions lack, in the database Throughput. engine/storage/FORMAT.md draws it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/storage/environment/transaction.h"
#include "engine/throughput/throughput_values.h"
#include "protocol/errors/result.h"

namespace stator::storage {

struct StoredThroughput {
  // The table's own mode; empty if it follows the process's. Always empty for indexes, which follow
  // their table.
  std::optional<Throttling> throttling;
  // The state at the record's commit; `as_of` is not stored.
  capacity::PersistedThroughput state;
};

std::string encode_throughput(const StoredThroughput& throughput);
// The error says that the bytes cannot be read or make no sense.
Result<StoredThroughput> decode_throughput(std::string_view bytes);

// Empty if the description implies everything.
Result<std::optional<StoredThroughput>> find_throughput(const Transaction& transaction,
                                                        SpaceId space);
Result<void> put_throughput(WriteTransaction& transaction, SpaceId space,
                            const StoredThroughput& throughput);
// No-op if absent.
Result<void> erase_throughput(WriteTransaction& transaction, SpaceId space);

// Visits the spaces that have a record, in order.
Result<void> for_each_throughput(
    const Transaction& transaction,
    const std::function<Result<void>(SpaceId, std::string_view)>& visit);

}  // namespace stator::storage
