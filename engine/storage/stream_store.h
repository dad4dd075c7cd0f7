// Stream store: the streams there are and their shards, in the database Streams. Drawn in
// FORMAT.md.
//
// A stream is found by its name (scope, table, label) or by its number; its shards stand behind it
// in the order of their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/stream.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

// What a client may ask for: any text.
struct StreamName {
  std::string_view scope;
  std::string_view table_name;
  std::string_view label;
};

Result<std::optional<Stream>> find_stream(const Transaction& transaction, std::uint64_t number);
Result<std::optional<Stream>> find_stream(const Transaction& transaction, const StreamName& name);

// The first stream of a scope behind `after`, by table name, then label; with a `table_name`, of
// that table alone. An empty `after.table_name` is before all.
Result<std::optional<Stream>> next_stream(const Transaction& transaction, const StreamName& after,
                                          std::optional<std::string_view> table_name);

// A new one, or a new state of one.
Result<void> put_stream(WriteTransaction& transaction, const Stream& stream);
// Its shards are the caller's.
Result<void> erase_stream(WriteTransaction& transaction, const Stream& stream);

Result<std::optional<Shard>> find_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view id);
// The first shard whose id is greater; the first of all behind an empty one.
Result<std::optional<Shard>> next_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view after_id);
Result<void> put_shard(WriteTransaction& transaction, std::uint64_t stream, const Shard& shard);
Result<void> erase_shard(WriteTransaction& transaction, std::uint64_t stream, std::string_view id);

// The secret that tokens for clients are sealed with; empty before the first table.
inline constexpr std::size_t kStreamSecretBytes = 32;
Result<std::optional<std::string_view>> stream_secret(const Transaction& transaction);
Result<void> put_stream_secret(WriteTransaction& transaction, std::string_view secret);

}  // namespace stator::storage
