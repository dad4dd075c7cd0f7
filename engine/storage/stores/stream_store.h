// Stream store: streams and their shards, in the database Streams. engine/storage/FORMAT.md draws
// it.
//
// A stream is found by its name (scope, table, label) or by its number; its shards follow it in the
// order of their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/stream.h"
#include "engine/schema/stream_name.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

Result<std::optional<Stream>> find_stream(const Transaction& transaction, std::uint64_t number);
Result<std::optional<Stream>> find_stream(const Transaction& transaction, const StreamName& name);

// The first stream of a scope after `after`, by table name, then label; with `table_name`, only of
// that table. An empty `after.table_name` starts before all.
Result<std::optional<Stream>> next_stream(const Transaction& transaction, const StreamName& after,
                                          std::optional<std::string_view> table_name);

// Stores a new stream or the new state of one.
Result<void> put_stream(WriteTransaction& transaction, const Stream& stream);
// REQUIRES: the caller erases its shards.
Result<void> erase_stream(WriteTransaction& transaction, const Stream& stream);

Result<std::optional<Shard>> find_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view id);
// The first shard whose id is greater than `after_id`; an empty id starts before all.
Result<std::optional<Shard>> next_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view after_id);
Result<void> put_shard(WriteTransaction& transaction, std::uint64_t stream, const Shard& shard);
Result<void> erase_shard(WriteTransaction& transaction, std::uint64_t stream, std::string_view id);

// The secret that seals tokens for clients; empty before the first table.
inline constexpr std::size_t kStreamSecretBytes = 32;
Result<std::optional<std::string_view>> stream_secret(const Transaction& transaction);
Result<void> put_stream_secret(WriteTransaction& transaction, std::string_view secret);

}  // namespace stator::storage
