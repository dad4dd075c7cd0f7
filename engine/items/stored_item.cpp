#include "engine/items/stored_item.h"

#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"

namespace stator {

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
  return record_ ? storage::EncodedItem(*record_).decode(arena) : Item();
}

Result<ItemRead> read_item(const Table& table, const PrimaryKey& key, bool is_consistent,
                           const Snapshot& snapshot) {
  ItemRead read;
  STATOR_TRY(read.stored, StoredItem::find(snapshot, table, key));
  read.charge = {.partition = key.partition,
                 .units_milli = read_units_milli(read.stored.size_bytes(), is_consistent),
                 .sort = key.sort};
  return read;
}

}  // namespace stator
