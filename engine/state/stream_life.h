// The life of a stream: opened with its table or later, its shards followed by others after a
// while, closed, and gone when the last of its records is. All in the commit of what brings it
// about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/schema/stream.h"
#include "engine/seams/random.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// A moment in the life of a stream: when, in which batch.
struct StreamMoment {
  MutationApplier& batch;
  storage::WriteTransaction& transaction;
  Timestamp now;
};

// At which hashes the table's partitions were split, the oldest split first.
std::vector<std::uint32_t> split_hashes(const Table& table);

// The name under which the stream follows its table's journal.
std::string consumer_of(const Stream& stream);

// Opens the stream that the table's settings ask for, and numbers it there.
Result<void> open_stream(Table& table, const StreamMoment& moment, Random& random);

// Closes its shards; records stay. No-op when it is closed.
Result<void> close_stream(std::uint64_t number, Timestamp disabling_until,
                          const StreamMoment& moment);

// Closes the open shards that are old enough, or that have one of the hashes `splits` inside, at
// which the table's partitions were split; and opens their children. Returns when the next is due;
// empty: not by itself.
Result<std::optional<Timestamp>> roll_over(Stream& stream, std::span<const std::uint32_t> splits,
                                           const StreamMoment& moment);

// Forgets up to `records_max` records that are too old, shards that have none left, and then
// itself. Returns when there is more to do; empty: not by itself.
Result<std::optional<Timestamp>> trim_stream(const Stream& stream, std::size_t records_max,
                                             const StreamMoment& moment);

}  // namespace stator
