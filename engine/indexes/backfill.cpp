#include "engine/indexes/backfill.h"

#include <algorithm>

#include "engine/indexes/index_entries.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/item_codec.h"

namespace stator {
namespace {

std::string_view stored_key_bytes(Item item, const KeyAttribute& key) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr || value->type() != key.type)
    throw storage::DamagedData("an item has no key");
  return value->bytes();
}

}  // namespace

PrimaryKey key_of_stored(const Table& table, Item item) {
  PrimaryKey key;
  key.partition = stored_key_bytes(item, table.partition_key);
  if (table.sort_key) key.sort = stored_key_bytes(item, *table.sort_key);
  return key;
}

Result<void> backfill_piece(const storage::Transaction& transaction, const Table& table,
                            const GlobalIndex& index, const PieceLimits& limits, Mutation& mutation,
                            Arena& arena) {
  Table next = table;
  GlobalIndex& built =
      next.global_indexes[static_cast<std::size_t>(&index - table.global_indexes.data())];
  const IndexBuild& done = *index.build;
  storage::RecordCursor cursor(transaction, table.space);
  if (done.done_partition.empty()) {
    STATOR_CHECK(cursor.seek_first());
  } else {
    STATOR_CHECK(cursor.seek_after({table.space, done.done_partition, done.done_sort}));
  }
  std::size_t bytes = 0;
  PrimaryKey last;
  for (std::size_t count = 0;; ++count) {
    const auto stored = cursor.record();
    if (!stored) {
      built.build.reset();
      break;
    }
    if (count >= limits.records_max || bytes >= limits.bytes_max) {
      built.build->done_partition = last.partition;
      built.build->done_sort = last.sort;
      break;
    }
    bytes += stored->size();
    // Copied, because applying the mutation changes pages.
    const std::string_view record = arena.copy(*stored);
    const storage::EncodedItem encoded(record);
    const IndexedItem item{encoded.decode(arena), encoded.size_bytes(), record};
    last = key_of_stored(table, item.attributes);
    if (const auto entry = index_entry(table, index, item, arena)) {
      const IndexKey key = index_key(table, index, item.attributes, arena);
      mutation.apply_entry({.space = index.space,
                            .erased = std::nullopt,
                            .put = storage::StoreKey{index.space, key.partition, key.sort},
                            .record = index_record(index, item, *entry, mutation.scratch(), arena),
                            .difference = {1, static_cast<std::int64_t>(entry->size_bytes)}});
    }
    STATOR_CHECK(cursor.next());
  }
  mutation.put_table(std::move(next));
  return {};
}

}  // namespace stator
