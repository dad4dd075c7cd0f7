#include "engine/api/stream_reader.h"

#include <string>

#include "engine/state/snapshot.h"
#include "engine/state/stream_life.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {

Timestamp StreamReader::now() const { return snapshot_.now(); }

Result<std::optional<Stream>> StreamReader::find(const StreamName& name) const {
  return storage::find_stream(snapshot_.transaction(), name);
}
Result<std::optional<Stream>> StreamReader::find(std::uint64_t number) const {
  return storage::find_stream(snapshot_.transaction(), number);
}
Result<std::optional<Stream>> StreamReader::next(const StreamName& after,
                                                 std::optional<std::string_view> table_name) const {
  return storage::next_stream(snapshot_.transaction(), after, table_name);
}

Result<std::optional<Shard>> StreamReader::find_shard(std::uint64_t stream,
                                                      std::string_view id) const {
  return storage::find_shard(snapshot_.transaction(), stream, id);
}
Result<std::optional<Shard>> StreamReader::next_shard(std::uint64_t stream,
                                                      std::string_view after_id) const {
  return storage::next_shard(snapshot_.transaction(), stream, after_id);
}

Result<std::optional<std::uint64_t>> StreamReader::trim_horizon(const Stream& stream) const {
  return storage::consumer_position(snapshot_.transaction(), stream.table, consumer_of(stream));
}

Result<std::uint64_t> StreamReader::end_of(const Shard& shard) const {
  if (shard.end) return *shard.end + 1;
  return storage::next_number(snapshot_.transaction(), storage::MetaKey::NextChange);
}

// Binary search: numbers and times rise together.
Result<std::uint64_t> StreamReader::first_since(const Stream& stream, std::int64_t unix_ms,
                                                std::uint64_t first, std::uint64_t end) const {
  while (first < end) {
    const std::uint64_t middle = first + (end - first) / 2;
    STATOR_TRY(const auto met,
               storage::find_in_journal(snapshot_.transaction(), stream.table, middle));
    if (!met || met->number >= end) {
      end = middle;
      continue;
    }
    STATOR_TRY(const auto entry, storage::decode_journal_entry(met->bytes));
    if (entry.written.time.unix_ms() >= unix_ms) {
      end = middle;
    } else {
      first = met->number + 1;
    }
  }
  return first;
}

Result<std::optional<std::string_view>> StreamReader::secret() const {
  return storage::stream_secret(snapshot_.transaction());
}

std::size_t ItemImage::size_bytes() const { return storage::EncodedItem(record_).size_bytes(); }
std::size_t ItemImage::usual_json_bytes() const { return storage::usual_json_bytes(record_); }
void ItemImage::append_json(JsonBuffer& out) const {
  storage::EncodedItem(record_).append_json(out);
}

void throw_damaged_change(std::string_view what) { throw storage::DamagedData(std::string(what)); }

struct ShardCursor::Impl {
  Impl(const Snapshot& snapshot, const Stream& stream_, const Shard& shard_)
      : stream(stream_), shard(shard_), journal(snapshot.transaction(), stream_.table) {}

  const Stream& stream;
  const Shard& shard;
  const bool has_all = shard.hash_begin == 0 && shard.hash_end == kPartitionHashes;
  storage::JournalCursor journal;
  StreamChange change;
};

ShardCursor::ShardCursor(const Snapshot& snapshot, const Stream& stream, const Shard& shard)
    : impl_(std::make_unique<Impl>(snapshot, stream, shard)) {}
ShardCursor::~ShardCursor() = default;

Result<void> ShardCursor::seek(std::uint64_t position) { return impl_->journal.seek(position); }
Result<void> ShardCursor::next() { return impl_->journal.next(); }

bool ShardCursor::is_at_end() const {
  const auto& met = impl_->journal.entry();
  return !met || (impl_->shard.end && met->number > *impl_->shard.end);
}
std::uint64_t ShardCursor::number() const { return impl_->journal.entry()->number; }
std::size_t ShardCursor::stored_bytes() const { return impl_->journal.entry()->bytes.size(); }

Result<const StreamChange*> ShardCursor::change() {
  const Stream& stream = impl_->stream;
  const storage::NumberedEntry& met = *impl_->journal.entry();
  STATOR_TRY(const auto& entry, storage::decode_journal_entry(met.bytes));
  if (!impl_->has_all && !impl_->shard.has(storage::partition_hash(entry.partition)))
    return nullptr;
  if (!entry.before && !entry.after) throw_damaged_change("a change of no item");
  StreamChange& change = impl_->change;
  change.number = met.number;
  change.written = entry.written.time;
  change.is_expiry = entry.written.origin == storage::Origin::TimeToLive;
  const auto key = [](const KeyAttribute& attribute, std::string_view bytes) {
    return Member{attribute.name, Value::scalar(attribute.type, bytes)};
  };
  change.keys[0] = key(stream.partition_key, entry.partition);
  change.key_count = 1;
  if (stream.sort_key) change.keys[change.key_count++] = key(*stream.sort_key, entry.sort);
  change.before.reset();
  change.after.reset();
  if (entry.before) change.before.emplace(*entry.before);
  if (entry.after) change.after.emplace(*entry.after);
  return &change;
}

}  // namespace stator
