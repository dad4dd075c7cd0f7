#include "engine/indexes/expiry_build.h"

#include <utility>

#include "engine/indexes/expiry_entries.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

// The key's bytes, without reading the whole item. In the arena, because applying the mutation
// changes pages.
std::string_view key_bytes(std::string_view record, const KeyAttribute& key, Arena& arena) {
  const auto value = storage::EncodedItem(record).find(key.name, arena);
  if (!value || value->type() != key.type) throw storage::DamagedData("an item has no key");
  return arena.copy(value->bytes());
}

}  // namespace

Result<void> expiry_build_piece(const storage::Transaction& transaction, const Table& table,
                                const PieceLimits& limits, Mutation& mutation, Arena& arena) {
  const TimeToLive& expiry = *table.expiry();
  Table next = table;
  std::optional<ExpiryBuild>& build = next.time_to_live->build;
  storage::RecordCursor cursor(transaction, table.space);
  if (build->done_partition.empty()) {
    STATOR_CHECK(cursor.seek_first());
  } else {
    STATOR_CHECK(cursor.seek_after({table.space, build->done_partition, build->done_sort}));
  }
  std::size_t bytes = 0;
  PrimaryKey last;
  for (std::size_t count = 0;; ++count) {
    const auto record = cursor.record();
    if (!record) {
      build.reset();
      break;
    }
    if (count >= limits.records_max || bytes >= limits.bytes_max) {
      build = ExpiryBuild{std::string(last.partition), std::string(last.sort)};
      break;
    }
    bytes += record->size();
    last.partition = key_bytes(*record, table.partition_key, arena);
    if (table.sort_key) last.sort = key_bytes(*record, *table.sort_key, arena);
    mutation.change_expiry(
        {expiry.space, last.partition, last.sort, std::nullopt, expiry_due_s(expiry, *record)});
    STATOR_CHECK(cursor.next());
  }
  mutation.put_table(std::move(next));
  return {};
}

}  // namespace stator
