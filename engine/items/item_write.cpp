#include "engine/items/item_write.h"

#include <algorithm>
#include <string>

#include "engine/call/settings.h"
#include "engine/indexes/index_entries.h"
#include "engine/storage/item_codec.h"
#include "protocol/limits.h"

namespace stator {
namespace {

// Into scratch first, since the length is not known, then where it stays while further items of the
// request are encoded.
std::string_view encode(Item item, std::size_t size_bytes, Mutation& mutation, Arena& arena) {
  std::string& scratch = mutation.scratch();
  scratch.clear();
  storage::encode_item(item, size_bytes, scratch);
  return arena.copy(std::string_view(scratch));
}

// The item collection of tables with local indexes: its size, and the limit that growing meets.
// Sees what the request has decided about it before.
Result<std::int64_t> count_collection(const Table& table, const PrimaryKey& key,
                                      std::int64_t difference_bytes, const Snapshot& snapshot,
                                      Mutation& mutation, const Settings& settings) {
  STATOR_TRY(std::int64_t size_bytes, snapshot.collection_size_bytes(table, key.partition));
  size_bytes += mutation.collection_difference_bytes(table.space, key.partition) + difference_bytes;
  if (difference_bytes > 0 && size_bytes > settings.item_collection_bytes_max) {
    return Error(ErrorCode::ItemCollectionSizeLimitExceeded, "Collection size exceeded.");
  }
  mutation.count_collection(table.space, key.partition, difference_bytes);
  return size_bytes;
}

}  // namespace

Result<StoredItem> StoredItem::find(const Snapshot& snapshot, const Table& table,
                                    const PrimaryKey& key) {
  StoredItem stored;
  STATOR_TRY(stored.record_,
             storage::find_record(snapshot.transaction(), store_key_of(table, key)));
  return stored;
}

std::size_t StoredItem::size_bytes() const {
  return record_ ? storage::EncodedItem(*record_).size_bytes() : 0;
}

Item StoredItem::item(Arena& arena) const {
  if (!record_) return {};
  if (!item_) item_ = storage::EncodedItem(*record_).decode(arena);
  return *item_;
}

Result<WriteOutcome> write_item(const ItemChange& change, const Snapshot& snapshot,
                                Mutation& mutation, Call& call) {
  const Table& table = change.table;
  const bool existed = change.before.exists();
  const std::size_t before_bytes = change.before.size_bytes();
  const std::size_t after_bytes = change.after != nullptr ? change.after_size_bytes : 0;
  std::int64_t difference_bytes =
      static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes);

  WriteOutcome outcome;
  outcome.consumed.table_units_milli = write_units_milli(std::max(before_bytes, after_bytes));
  mutation.count(table.space,
                 {(change.after != nullptr ? 1 : 0) - (existed ? 1 : 0), difference_bytes});

  const storage::StoreKey store_key = store_key_of(table, change.key);
  std::string_view record;
  if (change.after != nullptr) {
    record = encode(*change.after, after_bytes, mutation, call.arena);
    mutation.put_record(store_key, record);
  } else if (existed) {
    mutation.erase_record(store_key);
  }

  if (!table.has_indexes()) return outcome;
  std::optional<IndexedItem> before;
  if (existed)
    before = IndexedItem{change.before.item(call.arena), before_bytes, change.before.record()};
  std::optional<IndexedItem> after;
  if (change.after != nullptr) after = IndexedItem{*change.after, after_bytes, record};
  const LocalEntryBytes local =
      update_indexes(table, change.key, before, after, mutation, outcome.consumed, call.arena);
  if (!table.local_indexes.empty()) {
    if (after_bytes + local.after > limits::kItemBytesMax)
      return Error::validation(std::string(change.too_large));
    difference_bytes += local.difference;
    STATOR_TRY(outcome.collection_size_bytes, count_collection(table, change.key, difference_bytes,
                                                               snapshot, mutation, *call.settings));
  }
  return outcome;
}

}  // namespace stator
