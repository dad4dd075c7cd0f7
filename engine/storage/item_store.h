// ItemStore: records addressed by space, partition and sort bytes, kept in hash order of the
// partition and byte order of the sort key, for keys of any length.
//
// A *space* is a table or an index (a number never used again). Partition and sort are the key
// values' ordered bytes: UTF-8, raw bytes, or a number's ordered bytes; a space's schema fixes the
// types, so no type is stored. Partition order is the service's hash model: the first three bytes
// of MD5("Outliers" + partition), then any fixed order. The packaged LMDB takes keys of 511 bytes:
// a long partition becomes a digest, a long sort key continues in the Nodes database (FORMAT.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

enum class SpaceId : std::uint32_t {};

struct StoreKey {
  SpaceId space;
  std::string_view partition;
  std::string_view sort;  // empty when the schema has no sort key (a sort key value is never empty)
};

// The place of a partition in scan order: 24 bits. A parallel scan's segments are ranges of its
// upper 12 bits.
std::uint32_t partition_hash(std::string_view partition);

// The record under `key`, or empty. The view is valid as long as the transaction's other views.
Result<std::optional<std::string_view>> find_record(const Transaction& transaction,
                                                    const StoreKey& key);

// Inserts or replaces.
Result<void> put_record(WriteTransaction& transaction, const StoreKey& key,
                        std::string_view record);

// Whether there was such a record.
Result<bool> erase_record(WriteTransaction& transaction, const StoreKey& key);

// Erases up to `records_max` records of a space, long keys included; returns whether the space is
// empty now.
Result<bool> erase_some(WriteTransaction& transaction, SpaceId space, std::size_t records_max);

// Walks a space in order, forwards. Valid only while nothing is written through its transaction;
// must be gone before that ends.
class RecordCursor {
 public:
  explicit RecordCursor(const Transaction& transaction, SpaceId space);
  ~RecordCursor();
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // Positions at the first record of the space, or of a partition hash (24 bits) or later.
  Result<void> seek_first();
  Result<void> seek_hash(std::uint32_t hash);
  // At the first record of `partition` whose sort bytes are not less than `sort` (greater, with
  // `after`); the cursor then ends with the partition.
  Result<void> seek_partition(std::string_view partition, std::string_view sort = {},
                              bool after = false);

  // The current record, or empty at the end.
  std::optional<std::string_view> record() const;
  Result<void> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
