// ItemStore: records addressed by space, partition and sort bytes, stored in hash order of the
// partition and byte order of the sort key, for keys of any length.
//
// A *space* is a table or an index (its number is never reused). Partition and sort are the key
// values' ordered bytes: UTF-8, raw bytes, or a number's ordered bytes. A space's schema fixes the
// types, so they are not stored. Partition order is the service's hash model: the first three bytes
// of MD5("Outliers" + partition), then any fixed order. The packaged LMDB supports keys of 511
// bytes: a long partition becomes a digest, a long sort key continues in the Nodes database
// (engine/storage/FORMAT.md).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

struct StoreKey {
  SpaceId space;
  std::string_view partition;
  std::string_view sort;  // empty if the schema has no sort key (sort key values are never empty)
};

// The record under `key`; empty if absent. The view is valid like the transaction's other views.
Result<std::optional<std::string_view>> find_record(const Transaction& transaction,
                                                    const StoreKey& key);

// Inserts or replaces.
Result<void> put_record(WriteTransaction& transaction, const StoreKey& key,
                        std::string_view record);

// Returns whether the record existed.
Result<bool> erase_record(WriteTransaction& transaction, const StoreKey& key);

// Erases up to `records_max` records of a space, long keys included. Returns whether the space is
// now empty.
Result<bool> erase_some(WriteTransaction& transaction, SpaceId space, std::size_t records_max);

enum class Direction : std::uint8_t { Forward, Backward };

// Sort bytes from `lower` up to, but not including, `upper`; an empty `upper` is no bound.
struct SortRange {
  std::string_view lower = {};
  std::string_view upper = {};
};

// The order of two keys of one space.
std::strong_ordering compare_positions(const StoreKey& a, const StoreKey& b);

// Walks a space, or a part of it. Valid until the next write through its transaction; must be
// destroyed before that ends.
class RecordCursor {
 public:
  explicit RecordCursor(const Transaction& transaction, SpaceId space);
  ~RecordCursor();
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // Positions at the first record of the space, or at the first with this partition hash (24 bits)
  // or a later one. The walk then goes forwards to the end of the space.
  Result<void> seek_first();
  Result<void> seek_hash(std::uint32_t hash);
  // Positions at the first record after `key`, which need not exist; the walk goes forwards to the
  // end of the space. REQUIRES: key.space is the cursor's.
  Result<void> seek_after(const StoreKey& key);
  // Positions at the first record (Backward: the last) of `partition` within the range, whose views
  // must outlive the walk. The walk ends with the range.
  Result<void> seek_range(std::string_view partition, const SortRange& range, Direction direction);

  // The current record; empty at the end.
  std::optional<std::string_view> record() const;
  // Partition hash of the current record. REQUIRES: the walk is not at the end.
  std::uint32_t hash() const;
  // Moves to the next record in the direction of the walk.
  Result<void> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
