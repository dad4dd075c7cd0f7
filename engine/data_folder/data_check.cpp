#include "engine/data_folder/data_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/consumers.h"
#include "engine/data_folder/findings.h"
#include "engine/data_folder/follower_check.h"
#include "engine/data_folder/job_check.h"
#include "engine/data_folder/side_check.h"
#include "engine/data_folder/stored_state.h"
#include "engine/indexes/backfill.h"
#include "engine/indexes/expiry_entries.h"
#include "engine/indexes/index_entries.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/record_layout.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/expiries.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

using storage::Database;

// What an index should contain according to the table's items.
struct Expected {
  std::string name;
  storage::SpaceId space{};
  bool is_complete = true;  // it is not being built or removed, and not late
  SpaceStats entries;
};

class TableChecker {
 public:
  TableChecker(const StoredState& state, const Consumers& consumers, DataReport& report)
      : state_(state), transaction_(state.transaction), consumers_(consumers), report_(report) {}

  Result<void> check() {
    std::vector<const Table*> tables;
    state_.catalog->for_each([&](const Table& table) { tables.push_back(&table); });
    for (const Table* table : tables) STATOR_CHECK(check_table(*table));
    return {};
  }

 private:
  void find(const std::string& where, const std::string& what) { state_.findings.add(where, what); }

  Result<void> check_table(const Table& table) {
    ++report_.tables;
    const std::string where = place_of(table);
    std::vector<Expected> indexes;
    for (const LocalIndex& index : table.local_indexes)
      indexes.push_back({where + ", index " + index.name, index.space, true, {}});
    for (const GlobalIndex& index : table.global_indexes) {
      const bool is_complete = index.is_active() && !consumers_.is_late(index.space);
      indexes.push_back({where + ", index " + index.name, index.space, is_complete, {}});
    }
    SpaceStats items;
    Collection collection;
    std::uint64_t collections = 0;
    expiries_ = 0;
    storage::RecordCursor cursor(transaction_, table.space);
    STATOR_CHECK(cursor.seek_first());
    while (const auto record = cursor.record()) {
      STATOR_CHECK(check_item(table, where, *record, items, indexes, collection, collections));
      STATOR_CHECK(cursor.next());
    }
    STATOR_CHECK(end_collection(table, where, collection, collections));
    report_.items += static_cast<std::uint64_t>(items.item_count);
    STATOR_CHECK(check_stats(where, table.space, items));
    STATOR_CHECK(check_collection_count(table, where, collections));
    for (const Expected& index : indexes) STATOR_CHECK(check_index(index));
    return check_expiry_count(table, where);
  }

  // Items with the same partition key, in a table with local indexes.
  struct Collection {
    std::optional<std::string> partition;
    std::int64_t size_bytes = 0;
  };

  Result<void> check_item(const Table& table, const std::string& where, std::string_view record,
                          SpaceStats& items, std::vector<Expected>& indexes, Collection& collection,
                          std::uint64_t& collections) {
    arena_.reset();
    ++items.item_count;
    if (!storage::is_valid_record(record)) {
      find(where, "an item cannot be read");
      return {};
    }
    const storage::EncodedItem encoded(record);
    const IndexedItem item{encoded.decode(arena_), encoded.size_bytes(), record};
    items.size_bytes += static_cast<std::int64_t>(item.size_bytes);
    const auto read_key = key_of(table, item.attributes);
    if (!read_key) {
      find(where, "an item has no key");
      return {};
    }
    const PrimaryKey& key = *read_key;
    STATOR_TRY(const auto found, storage::find_record(transaction_, store_key_of(table, key)));
    if (!found || found->data() != record.data()) find(where, "an item stands under another key");
    STATOR_CHECK(check_expiry(table, where, key, record));
    std::int64_t collected_bytes = static_cast<std::int64_t>(item.size_bytes);
    std::size_t number = 0;
    for (const LocalIndex& index : table.local_indexes) {
      STATOR_TRY(const std::int64_t entry_bytes,
                 check_entry(table, index, item, indexes[number++]));
      collected_bytes += entry_bytes;
    }
    for (const GlobalIndex& index : table.global_indexes)
      STATOR_CHECK(check_entry(table, index, item, indexes[number++]).map([](std::int64_t) {}));
    if (table.local_indexes.empty()) return {};
    if (collection.partition != key.partition) {
      STATOR_CHECK(end_collection(table, where, collection, collections));
      collection = {std::string(key.partition), 0};
    }
    collection.size_bytes += collected_bytes;
    return {};
  }

  // The item's key; empty if it has none.
  static std::optional<PrimaryKey> key_of(const Table& table, Item item) {
    try {
      return key_of_stored(table, item);
    } catch (const storage::DamagedData&) {
      return std::nullopt;
    }
  }

  // An item after the position of a build has no entry yet.
  Result<void> check_expiry(const Table& table, const std::string& where, const PrimaryKey& key,
                            std::string_view record) {
    const auto change = expiry_change(table, key, std::nullopt, record);
    if (!change) return {};
    ++expiries_;
    const storage::Expiry wanted{change->space, *change->due_after_s, key.partition, key.sort};
    STATOR_TRY(const bool is_there, storage::has_expiry(transaction_, wanted));
    if (!is_there) find(where, "an item with a time of expiry has no entry for it");
    return {};
  }

  Result<void> check_expiry_count(const Table& table, const std::string& where) {
    if (table.expiry() == nullptr) return {};
    std::uint64_t entries = 0;
    STATOR_TRY(auto met, storage::first_expiry(transaction_, table.expiry()->space, /*due_s=*/0));
    for (; met; ++entries) {
      STATOR_TRY(met, storage::next_expiry(transaction_, *met));
    }
    if (entries != expiries_)
      find(where, std::to_string(entries) + " entries for times of expiry, the items ask for " +
                      std::to_string(expiries_));
    return {};
  }

  // Returns the billed bytes of the item's entry.
  template <class Index>
  Result<std::int64_t> check_entry(const Table& table, const Index& index, const IndexedItem& item,
                                   Expected& expected) {
    const auto entry = index_entry(table, index, item, arena_);
    if (!expected.is_complete || !entry) return 0;
    ++expected.entries.item_count;
    const auto size_bytes = static_cast<std::int64_t>(entry->size_bytes);
    expected.entries.size_bytes += size_bytes;
    const IndexKey key = index_key(table, index, item.attributes, arena_);
    STATOR_TRY(const auto stored,
               storage::find_record(transaction_, {index.space, key.partition, key.sort}));
    const std::string_view wanted = index_record(index, item, *entry, scratch_, arena_);
    if (!stored) {
      find(expected.name, "an item has no entry");
    } else if (!is_same_but_for_stamp(*stored, wanted)) {
      find(expected.name, "an entry differs from its item");
    }
    return size_bytes;
  }

  // A write that leaves an entry unchanged does not update the entry's time.
  static bool is_same_but_for_stamp(std::string_view a, std::string_view b) {
    return a.size() == b.size() && a.size() > storage::kRecordHeaderBytes &&
           a.substr(0, storage::kTimeAt) == b.substr(0, storage::kTimeAt) &&
           a.substr(storage::kRecordHeaderBytes) == b.substr(storage::kRecordHeaderBytes);
  }

  Result<void> end_collection(const Table& table, const std::string& where,
                              const Collection& collection, std::uint64_t& collections) {
    if (!collection.partition) return {};
    ++collections;
    const storage::CollectionKey key{table.space, *collection.partition};
    STATOR_TRY(const auto stored, transaction_.find(Database::Collections, key.encode().view()));
    std::int64_t size_bytes = 0;
    if (stored) {
      STATOR_TRY(size_bytes, storage::decode_collection_size(*stored));
    }
    if (size_bytes != collection.size_bytes)
      find(where, "an item collection has " + std::to_string(collection.size_bytes) + " bytes, " +
                      std::to_string(size_bytes) + " are recorded");
    return {};
  }

  Result<void> check_collection_count(const Table& table, const std::string& where,
                                      std::uint64_t collections) {
    const storage::KeyBuffer prefix = storage::CollectionKey::prefix(table.space);
    std::string key(prefix.view());
    std::uint64_t recorded = 0;
    for (;; ++recorded) {
      STATOR_TRY(const auto met, transaction_.seek(Database::Collections, key, recorded > 0));
      if (!met || !met->key.starts_with(prefix.view())) break;
      key = met->key;
    }
    if (recorded != collections)
      find(where, std::to_string(collections) + " item collections, " + std::to_string(recorded) +
                      " are recorded");
    return {};
  }

  Result<void> check_stats(const std::string& where, storage::SpaceId space,
                           const SpaceStats& counted) {
    STATOR_TRY(const SpaceStats recorded, storage::find_stats(transaction_, space));
    if (recorded.item_count != counted.item_count)
      find(where, std::to_string(counted.item_count) + " are there, " +
                      std::to_string(recorded.item_count) + " are recorded");
    if (recorded.size_bytes != counted.size_bytes)
      find(where, "has " + std::to_string(counted.size_bytes) + " bytes, " +
                      std::to_string(recorded.size_bytes) + " are recorded");
    return {};
  }

  Result<void> check_index(const Expected& index) {
    SpaceStats entries;
    storage::RecordCursor cursor(transaction_, index.space);
    STATOR_CHECK(cursor.seek_first());
    while (const auto record = cursor.record()) {
      ++entries.item_count;
      if (storage::is_valid_record(*record)) {
        entries.size_bytes += static_cast<std::int64_t>(storage::EncodedItem(*record).size_bytes());
      } else {
        find(index.name, "an entry cannot be read");
      }
      STATOR_CHECK(cursor.next());
    }
    report_.index_entries += static_cast<std::uint64_t>(entries.item_count);
    if (index.is_complete && entries.item_count != index.entries.item_count)
      find(index.name, std::to_string(entries.item_count) + " entries, the table asks for " +
                           std::to_string(index.entries.item_count));
    return check_stats(index.name, index.space, entries);
  }

  const StoredState& state_;
  const storage::Transaction& transaction_;
  const Consumers& consumers_;
  DataReport& report_;
  Arena arena_;
  std::string scratch_;
  std::uint64_t expiries_ = 0;  // expected number of expiry entries of the current table
};

}  // namespace

Result<void> check_data(const storage::Environment& environment,
                        const CheckDocument& check_document, DataReport& report) {
  try {
    STATOR_CHECK(environment.check_pages(report.findings));
    storage::ReadTransaction transaction(environment);
    STATOR_CHECK(transaction.acquire());
    Findings findings(report.findings);
    STATOR_TRY(const StoredState state, read_stored_state(transaction, findings));
    STATOR_TRY(const auto consumers, Consumers::load(transaction));
    STATOR_CHECK(TableChecker(state, *consumers, report).check());
    STATOR_CHECK(check_jobs(state));
    STATOR_CHECK(check_followers(state));
    return check_beside(state, environment, check_document);
  } catch (const storage::DamagedData& damage) {
    return Error(ErrorCode::InternalServerError, damage.what());
  }
}

}  // namespace stator
