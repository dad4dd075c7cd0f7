#include "engine/state/stream_life.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/schema/runtime.h"
#include "engine/state/client_secret.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/throughput/throughput_state.h"

namespace stator {
namespace {

// How many entries are searched backwards for the last record of one of several shards. If it is
// older, the number before them becomes the shard's end, which is valid too: above its records,
// below its child's.
constexpr std::size_t kLookedBackMax = 1000;

Result<void> open_shard(Stream& stream, const Shard& like, const StreamContext& moment) {
  Shard shard = like;
  STATOR_TRY(shard.start, moment.batch.take_change_number(moment.transaction));
  shard.opened = moment.now;
  shard.id = shard_id(shard.opened, shard.start);
  stream.open_shards.push_back(shard.id);
  return storage::put_shard(moment.transaction, stream.number, shard);
}

bool divides(const Shard& shard, std::uint32_t hash) {
  return hash > shard.hash_begin && hash < shard.hash_end;
}

// Opens shards for equal parts of all hashes, and between `splits`, within this range. The splits
// may add `more_max` shards. Returns the number of shards.
Result<std::size_t> open_shards(Stream& stream, const Shard& range,
                                std::span<const std::uint32_t> splits, std::size_t more_max,
                                const StreamContext& moment) {
  std::set<std::uint32_t> ends = {range.hash_end};
  const std::uint64_t count = moment.batch.stream_limits().shards;
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto cut = static_cast<std::uint32_t>(kPartitionHashes * i / count);
    if (divides(range, cut)) ends.insert(cut);
  }
  for (const std::uint32_t cut : splits) {
    if (more_max > 0 && divides(range, cut) && ends.insert(cut).second) --more_max;
  }
  std::uint32_t begin = range.hash_begin;
  for (const std::uint32_t end : ends) {
    STATOR_CHECK(open_shard(
        stream, {.parent_id = range.parent_id, .hash_begin = begin, .hash_end = end}, moment));
    begin = end;
  }
  return ends.size();
}

// How many more shards splits may add.
std::size_t room_for_shards(std::size_t open) {
  return kOpenShardsMax - std::min(kOpenShardsMax, open);
}

Result<std::uint64_t> end_of(const Stream& stream, const Shard& shard,
                             const storage::Transaction& transaction) {
  const bool has_all = shard.hash_begin == 0 && shard.hash_end == kPartitionHashes;
  std::uint64_t position = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t looked = 0; looked < kLookedBackMax; ++looked) {
    STATOR_TRY(const auto last,
               storage::find_before_in_journal(transaction, stream.table, position));
    if (!last || last->number <= shard.start) return shard.start;
    STATOR_TRY(const auto entry, storage::decode_journal_entry(last->bytes));
    if (has_all || shard.has(storage::partition_hash(entry.partition))) return last->number;
    position = last->number;
  }
  return position - 1;
}

Error missing_shard() {
  return Error(ErrorCode::InternalServerError, "the data is damaged: a shard is missing");
}

Result<Shard> close_shard(const Stream& stream, const std::string& id,
                          const StreamContext& moment) {
  STATOR_TRY(auto shard, storage::find_shard(moment.transaction, stream.number, id));
  if (!shard) return missing_shard();
  STATOR_TRY(shard->end, end_of(stream, *shard, moment.transaction));
  shard->closed = moment.now;
  STATOR_CHECK(storage::put_shard(moment.transaction, stream.number, *shard));
  return *std::move(shard);
}

bool is_ended(const Stream& stream) { return stream.closed.has_value(); }

void keep_earlier(std::optional<Timestamp>& due, Timestamp other) {
  due = due ? std::min(*due, other) : other;
}

// Erases shards that were closed long ago and whose records are gone, oldest first. Returns when
// the next is due.
Result<std::optional<Timestamp>> erase_old_shards(const Stream& stream, std::uint64_t horizon,
                                                  std::size_t shards_max,
                                                  const StreamContext& moment) {
  for (std::size_t erased = 0;; ++erased) {
    STATOR_TRY(const auto shard, storage::next_shard(moment.transaction, stream.number, {}));
    if (!shard || !shard->closed) return std::optional<Timestamp>();
    const Timestamp due = shard->closed->plus(moment.batch.stream_limits().retention);
    if (due > moment.now) return std::optional(due);
    const bool has_records = *shard->end > shard->start && *shard->end >= horizon;
    // Trimming removes the records first; this chore then runs again.
    if (has_records || erased == shards_max) return std::optional(moment.now);
    STATOR_CHECK(storage::erase_shard(moment.transaction, stream.number, shard->id));
  }
}

}  // namespace

std::vector<std::uint32_t> split_hashes(const Table& table) {
  const auto& throughput = table.runtime->throughput;
  return throughput == nullptr ? std::vector<std::uint32_t>() : throughput->split_hashes();
}

std::string consumer_of(const Stream& stream) {
  return is_ended(stream) ? ended_stream_consumer(stream.number) : stream_consumer(stream.number);
}

Result<std::vector<std::uint64_t>> closed_streams(const storage::Transaction& transaction) {
  STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
  std::vector<std::uint64_t> closed;
  for (const storage::Consumer& consumer : consumers) {
    const auto number = stream_of(consumer.name);
    if (number && consumer.name == ended_stream_consumer(*number)) closed.push_back(*number);
  }
  std::sort(closed.begin(), closed.end());
  return closed;
}

Result<void> open_stream(Table& table, const StreamContext& moment, Random& random) {
  STATOR_CHECK(keep_client_secret(moment.transaction, random));
  Stream stream;
  STATOR_TRY(stream.number, moment.batch.take_change_number(moment.transaction));
  table.stream->number = stream.number;
  stream.scope = table.scope;
  stream.table_name = table.name;
  stream.region = table.region;
  stream.account_id = table.account_id;
  stream.table = table.space;
  stream.partition_key = table.partition_key;
  stream.sort_key = table.sort_key;
  stream.view_type = table.stream->view_type;
  stream.label = table.stream->label;
  stream.seed = {random.next(), random.next()};
  stream.created = moment.now;
  stream.enabling_until = table.stream->changing_until;
  STATOR_CHECK(
      moment.batch.add_consumer(table.space, stream_consumer(stream.number), moment.transaction));
  const std::vector<std::uint32_t> splits = split_hashes(table);
  const Shard whole{.hash_begin = 0, .hash_end = kPartitionHashes};
  STATOR_CHECK(open_shards(stream, whole, splits,
                           room_for_shards(moment.batch.stream_limits().shards), moment));
  const auto rollover_after = moment.batch.stream_limits().rollover_after;
  if (rollover_after.count() > 0)
    moment.batch.enter_stream(table.space, moment.now.plus(rollover_after));
  return storage::put_stream(moment.transaction, stream);
}

Result<void> close_stream(std::uint64_t number, Timestamp disabling_until,
                          const StreamContext& moment) {
  STATOR_TRY(auto stream, storage::find_stream(moment.transaction, number));
  if (!stream || is_ended(*stream)) return {};
  for (const std::string& id : stream->open_shards)
    STATOR_CHECK(close_shard(*stream, id, moment).map([](const Shard&) {}));
  stream->open_shards.clear();
  stream->closed = moment.now;
  stream->disabling_until = disabling_until;
  STATOR_CHECK(moment.batch.end_following(stream->table, stream_consumer(number),
                                          ended_stream_consumer(number), moment.transaction));
  moment.batch.enter_stream(stream->table, moment.now.plus(moment.batch.stream_limits().retention));
  return storage::put_stream(moment.transaction, *stream);
}

Result<std::optional<Timestamp>> roll_over(Stream& stream, std::span<const std::uint32_t> splits,
                                           const StreamContext& moment) {
  const auto after = moment.batch.stream_limits().rollover_after;
  std::optional<Timestamp> next_due;
  const auto keep_due = [&](Timestamp opened) {
    if (after.count() > 0) keep_earlier(next_due, opened.plus(after));
  };
  bool is_changed = false;
  std::size_t open_count = stream.open_shards.size();
  for (const std::string& id : std::exchange(stream.open_shards, {})) {
    STATOR_TRY(const auto open, storage::find_shard(moment.transaction, stream.number, id));
    if (!open) return missing_shard();
    const std::size_t more_max = room_for_shards(open_count);
    const bool is_split =
        more_max > 0 && std::any_of(splits.begin(), splits.end(),
                                    [&](std::uint32_t hash) { return divides(*open, hash); });
    const bool is_old = after.count() > 0 && open->opened.plus(after) <= moment.now;
    if (!is_split && !is_old) {
      keep_due(open->opened);
      stream.open_shards.push_back(id);
      continue;
    }
    STATOR_TRY(Shard parent, close_shard(stream, id, moment));
    parent.parent_id = parent.id;
    STATOR_TRY(const std::size_t children, open_shards(stream, parent, splits, more_max, moment));
    open_count += children - 1;
    keep_due(moment.now);
    is_changed = true;
  }
  if (is_changed) STATOR_CHECK(storage::put_stream(moment.transaction, stream));
  return next_due;
}

Result<std::optional<Timestamp>> trim_stream(const Stream& stream, std::size_t records_max,
                                             const StreamContext& moment) {
  const auto retention = moment.batch.stream_limits().retention;
  const std::string consumer = consumer_of(stream);
  STATOR_TRY(const auto begun,
             storage::consumer_position(moment.transaction, stream.table, consumer));
  if (!begun) return std::optional<Timestamp>();
  std::uint64_t horizon = *begun;
  std::optional<Timestamp> next_due;
  for (std::size_t trimmed = 0;; ++trimmed) {
    STATOR_TRY(const auto oldest,
               storage::find_in_journal(moment.transaction, stream.table, horizon));
    if (!oldest) break;
    STATOR_TRY(const auto entry, storage::decode_journal_entry(oldest->bytes));
    next_due = entry.written.time.plus(retention);
    // For a closed stream, all records from here on are younger than its end.
    if (*next_due > moment.now || trimmed == records_max) break;
    horizon = oldest->number + 1;
    next_due.reset();
  }
  if (horizon != *begun) {
    STATOR_CHECK(storage::put_consumer(moment.transaction, {stream.table, consumer, horizon}));
    STATOR_CHECK(
        storage::trim_journal(moment.transaction, stream.table, 2 * records_max).map([](bool) {}));
    // Batches records that become too old one after the other, instead of a commit for each.
    constexpr int kPiecesOfRetention = 1000;
    if (next_due && *next_due > moment.now)
      next_due = std::max(*next_due, moment.now.plus(retention / kPiecesOfRetention));
  }
  STATOR_TRY(const auto shard_due, erase_old_shards(stream, horizon, records_max, moment));
  if (shard_due) keep_earlier(next_due, *shard_due);
  if (!is_ended(stream)) return next_due;
  STATOR_TRY(const auto left, storage::next_shard(moment.transaction, stream.number, {}));
  if (left) return next_due;
  STATOR_CHECK(forget_stream(stream, moment));
  return std::optional<Timestamp>();
}

Result<void> forget_stream(const Stream& stream, const StreamContext& moment) {
  for (;;) {
    STATOR_TRY(const auto shard, storage::next_shard(moment.transaction, stream.number, {}));
    if (!shard) break;
    STATOR_CHECK(storage::erase_shard(moment.transaction, stream.number, shard->id));
  }
  STATOR_CHECK(storage::erase_stream(moment.transaction, stream));
  return moment.batch.remove_consumer(stream.table, consumer_of(stream), moment.transaction);
}

}  // namespace stator
