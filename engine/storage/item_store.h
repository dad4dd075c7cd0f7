// ItemStore: records addressed by space, partition and sort bytes, kept in hash order of the
// partition and byte order of the sort key, for keys of any length.
//
// A *space* is a table or an index (a number never used again). Partition and sort are the key
// values' ordered bytes: UTF-8, raw bytes, or a number's ordered bytes; a space's schema fixes the
// types, so no type is stored. Partition order is the service's hash model: the first three bytes
// of MD5("Outliers" + partition), then any fixed order. The packaged LMDB takes keys of 511 bytes:
// a long partition becomes a digest, a long sort key continues in the Nodes database (FORMAT.md).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

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

enum class Direction : std::uint8_t { Forward, Backward };

// Sort bytes from `lower` up to, not including, `upper`; an empty `upper` has no end.
struct SortRange {
  std::string_view lower = {};
  std::string_view upper = {};
};

// Which of two keys of one space stands first in the order of the space.
std::strong_ordering compare_positions(const StoreKey& a, const StoreKey& b);

// Walks a space, or a part of it. Valid only while nothing is written through its transaction; must
// be gone before that ends.
class RecordCursor {
 public:
  explicit RecordCursor(const Transaction& transaction, SpaceId space);
  ~RecordCursor();
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // Positions at the first record of the space, or of a partition hash (24 bits) or later. The
  // cursor then goes on, forwards, to the end of the space.
  Result<void> seek_first();
  Result<void> seek_hash(std::uint32_t hash);
  // At the first record behind `key`, whether there is such a record or not; goes on likewise.
  // REQUIRES: key.space is the cursor's.
  Result<void> seek_after(const StoreKey& key);
  // At the first record (the last one, Backward) of `partition` within the range, whose views must
  // outlive the walk; the cursor ends with the range.
  Result<void> seek_range(std::string_view partition, const SortRange& range, Direction direction);

  // The current record, or empty at the end.
  std::optional<std::string_view> record() const;
  // Partition hash of the current record. REQUIRES: there is one.
  std::uint32_t hash() const;
  // To the next record in the direction of the walk.
  Result<void> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
