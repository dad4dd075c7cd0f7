// The life of a stream: opened with its table or later; its shards are replaced after a while;
// closed; removed after its last record. Each step is part of the commit that causes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/schema/stream.h"
#include "engine/seams/random.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Maximum number of closed streams that wait for their records to expire: two for each table of the
// service's quota (2,500 in a Region). Above it the oldest are removed before their time, so that a
// client that creates and deletes tables all day does not fill the store with unread streams.
inline constexpr std::size_t kClosedStreamsMax = 5'000;

// The numbers of all closed streams, in rising order.
Result<std::vector<std::uint64_t>> closed_streams(const storage::Transaction& transaction);

// A moment in the life of a stream: when, in which batch.
struct StreamContext {
  MutationApplier& batch;
  storage::WriteTransaction& transaction;
  Timestamp now;
};

// Hashes at which the table's partitions were split, oldest split first.
std::vector<std::uint32_t> split_hashes(const Table& table);

// The consumer name under which the stream follows its table's journal.
std::string consumer_of(const Stream& stream);

// Opens the stream of the table's settings and stores its number there.
Result<void> open_stream(Table& table, const StreamContext& moment, Random& random);

// Closes its shards; records stay. No-op if closed.
Result<void> close_stream(std::uint64_t number, Timestamp disabling_until,
                          const StreamContext& moment);

// Closes open shards that are old enough, or that contain one of the hashes `splits`, at which the
// table's partitions were split; opens their children. Returns when the next shard is due; empty if
// time alone closes none.
Result<std::optional<Timestamp>> roll_over(Stream& stream, std::span<const std::uint32_t> splits,
                                           const StreamContext& moment);

// Removes up to `records_max` records that are too old, shards without records, and finally the
// stream. Returns when more is due; empty if time alone brings nothing.
Result<std::optional<Timestamp>> trim_stream(const Stream& stream, std::size_t records_max,
                                             const StreamContext& moment);

// Removes a closed stream with its shards, whatever its age. Later commits remove its records.
// REQUIRES: it is closed.
Result<void> forget_stream(const Stream& stream, const StreamContext& moment);

}  // namespace stator
