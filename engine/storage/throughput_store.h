// Throughput store: what of tables' and global indexes' throughput does not follow from their
// descriptions, by space, in the database Throughput. Drawn in FORMAT.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/capacity/throughput_values.h"
#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

struct StoredThroughput {
  // What the table was set to; empty: as the process is, and for indexes, which have their table's.
  std::optional<Throttling> throttling;
  // As of the record's commit; `as_of` is not stored.
  capacity::KeptThroughput kept;
};

std::string encode_throughput(const StoredThroughput& throughput);
// The error says that it cannot be read, or means nothing.
Result<StoredThroughput> decode_throughput(std::string_view bytes);

// Empty: all of it follows from the description.
Result<std::optional<StoredThroughput>> find_throughput(const Transaction& transaction,
                                                        SpaceId space);
Result<void> put_throughput(WriteTransaction& transaction, SpaceId space,
                            const StoredThroughput& throughput);
// No-op when there is none.
Result<void> erase_throughput(WriteTransaction& transaction, SpaceId space);

// Visits the spaces that have a record, in order.
Result<void> for_each_throughput(
    const Transaction& transaction,
    const std::function<Result<void>(SpaceId, std::string_view)>& visit);

}  // namespace stator::storage
