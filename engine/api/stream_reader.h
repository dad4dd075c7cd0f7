// StreamReader: the streams of a snapshot, their shards and records, for the layers above the
// engine.
//
// A failure to read is an Error, but damaged records throw, because rendering finds them deep
// inside. Engine::read() and Engine::look() convert the exception to an error and report it, so
// callers need not catch it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/schema/stream.h"
#include "engine/schema/stream_name.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/values/value.h"

namespace stator {

class JsonBuffer;
class Snapshot;

class StreamReader {
 public:
  // The snapshot must outlive this.
  explicit StreamReader(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // The time of the snapshot, by the engine's clock.
  Timestamp now() const;

  // Empty if there is none. A stream outlives its table.
  Result<std::optional<Stream>> find(const StreamName& name) const;
  Result<std::optional<Stream>> find(std::uint64_t number) const;
  // The first stream of a scope after `after`, by table name, then label; with `table_name`, only
  // of that table. An empty `after.table_name` starts before all.
  Result<std::optional<Stream>> next(const StreamName& after,
                                     std::optional<std::string_view> table_name) const;

  // A stream's shards have the order of their ids, which is that of their opening.
  Result<std::optional<Shard>> find_shard(std::uint64_t stream, std::string_view id) const;
  // The first shard whose id is greater than `after_id`; an empty id starts before all.
  Result<std::optional<Shard>> next_shard(std::uint64_t stream, std::string_view after_id) const;

  // Positions are numbers of records. The lowest number that can be read, else the next one; empty
  // while the stream is being removed.
  Result<std::optional<std::uint64_t>> trim_horizon(const Stream& stream) const;
  // The number after the shard's last record: of an open shard the next of all numbers.
  Result<std::uint64_t> end_of(const Shard& shard) const;
  // The first number from `first` up to `end` whose record was written at `unix_ms` or later; `end`
  // if none was.
  Result<std::uint64_t> first_since(const Stream& stream, std::int64_t unix_ms, std::uint64_t first,
                                    std::uint64_t end) const;

  // Seals tokens for clients (engine/operations/paging/sealed_token.h); empty before the first
  // table.
  Result<std::optional<std::string_view>> secret() const;

 private:
  const Snapshot& snapshot_;
};

// An item as it was before or after a change: a view of stored bytes.
class ItemImage {
 public:
  explicit ItemImage(std::string_view record) : record_(record) {}

  // Billed bytes.
  std::size_t size_bytes() const;
  // Space for the JSON of most items.
  std::size_t usual_json_bytes() const;
  // Appends the wire's JSON object of all attributes.
  void append_json(JsonBuffer& out) const;

 private:
  std::string_view record_;
};

// A record of a stream. Views of the snapshot.
struct StreamChange {
  std::uint64_t number = 0;
  Timestamp written;
  bool is_expiry = false;           // time to live deleted the item
  std::array<Member, 2> keys;       // partition key, then the sort key
  std::size_t key_count = 0;        // 1 without a sort key
  std::optional<ItemImage> before;  // empty if there was no item; one of both is set
  std::optional<ItemImage> after;
};

// For a change whose bytes cannot be rendered: throws what a damaged record throws.
[[noreturn]] void throw_damaged_change(std::string_view what);

// Walks the numbers of a shard's journal forwards. Shards of a stream share the journal of its
// table, so a walk meets records of other shards too.
class ShardCursor {
 public:
  // All must outlive the cursor.
  ShardCursor(const Snapshot& snapshot, const Stream& stream, const Shard& shard);
  ~ShardCursor();
  ShardCursor(const ShardCursor&) = delete;
  ShardCursor& operator=(const ShardCursor&) = delete;

  // Moves to the first record whose number is at least `position`.
  Result<void> seek(std::uint64_t position);
  // REQUIRES: not at the end, as for what follows.
  Result<void> next();
  // Whether no record is left, as yet or in a closed shard.
  bool is_at_end() const;

  std::uint64_t number() const;
  // Bytes of the stored record: the work to read it.
  std::size_t stored_bytes() const;
  // Reads the record; nullptr: it is another shard's. Valid until the next call.
  Result<const StreamChange*> change();

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace stator
