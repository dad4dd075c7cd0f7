#include "engine/indexes/index_entries.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/storage/records/item_codec.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

template <class Index>
bool is_projected(const Table& table, const Index& index, std::string_view name) {
  if (index.projection.type == ProjectionType::All) return true;
  if (name == table.partition_key.name || (table.sort_key && name == table.sort_key->name))
    return true;
  if (is_one_of(index.partition_keys, name) || is_one_of(index.sort_keys, name)) return true;
  const auto& names = index.projection.non_key_attributes;
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the item has all these key attributes in a form valid for an index. Several attributes
// share the size limit.
bool has_keys(Item item, const std::vector<KeyAttribute>& keys, std::size_t size_bytes_max) {
  std::size_t size_bytes = 0;
  for (const KeyAttribute& key : keys) {
    const Value* value = find_attribute(item, key.name);
    if (value == nullptr || value->type() != key.type) return false;
    if (value->bytes().empty()) return false;  // a number's ordered bytes are never empty
    size_bytes += value->bytes().size();
  }
  return size_bytes <= size_bytes_max;
}

bool same_keys(const std::vector<KeyAttribute>& keys, Item before, Item after) {
  return std::all_of(keys.begin(), keys.end(), [&](const KeyAttribute& key) {
    return *find_attribute(before, key.name) == *find_attribute(after, key.name);
  });
}

bool same_attributes(Item before, Item after) {
  return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                    [](const Member& a, const Member& b) {
                      return a.name == b.name && storage::is_same_value(a.value, b.value);
                    });
}

// Billed bytes of an item's entry in one index.
struct EntryBytes {
  std::size_t before;
  std::size_t after;

  std::int64_t difference() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
};

constexpr Charge::Of kind_of(const LocalIndex&) { return Charge::Of::LocalIndex; }
constexpr Charge::Of kind_of(const GlobalIndex&) { return Charge::Of::GlobalIndex; }

// Determines how one write changes the indexes.
class IndexUpdate {
 public:
  IndexUpdate(const Table& table, const std::optional<IndexedItem>& before,
              const std::optional<IndexedItem>& after, std::string& scratch, Arena& arena,
              FixedList<Charge>& charges)
      : table_(table),
        before_(before),
        after_(after),
        scratch_(scratch),
        arena_(arena),
        charges_(charges) {}

  template <class Index>
  EntryBytes change(const Index& index, FixedList<EntryChange>& changes) {
    const auto old_entry = entry_of(index, before_);
    const auto new_entry = entry_of(index, after_);
    const EntryBytes bytes{old_entry ? old_entry->size_bytes : 0,
                           new_entry ? new_entry->size_bytes : 0};
    if (!old_entry && !new_entry) return bytes;

    const bool is_moved =
        old_entry && new_entry &&
        (!same_keys(index.partition_keys, before_->attributes, after_->attributes) ||
         !same_keys(index.sort_keys, before_->attributes, after_->attributes));
    if (old_entry && new_entry && !is_moved &&
        same_attributes(old_entry->attributes, new_entry->attributes)) {
      return bytes;
    }

    EntryChange change{
        .space = index.space,
        .erased = std::nullopt,
        .put = std::nullopt,
        .record = {},
        .difference = {(new_entry ? 1 : 0) - (old_entry ? 1 : 0), bytes.difference()}};
    if (old_entry && (is_moved || !new_entry)) change.erased = key_of(index, *before_);
    if (new_entry) {
      change.put = key_of(index, *after_);
      change.record = index_record(index, *after_, *new_entry, scratch_, arena_);
    }
    charge(index, change, bytes);
    changes.push_back(change);
    return bytes;
  }

 private:
  template <class Index>
  std::optional<IndexEntry> entry_of(const Index& index, const std::optional<IndexedItem>& item) {
    return item ? index_entry(table_, index, *item, arena_) : std::nullopt;
  }

  template <class Index>
  storage::StoreKey key_of(const Index& index, const IndexedItem& item) {
    const IndexKey key = index_key(table_, index, item.attributes, arena_);
    return {index.space, key.partition, key.sort};
  }

  // Each entry stored or erased costs its units: a moved one costs both, a replaced one counts
  // once, by its larger size.
  template <class Index>
  void charge(const Index& index, const EntryChange& change, const EntryBytes& bytes) {
    const auto add = [&](const storage::StoreKey& key, std::size_t size_bytes) {
      charges_.push_back(
          {kind_of(index), index.name, key.partition, write_units_milli(size_bytes), key.sort});
    };
    if (change.erased && change.put) {
      add(*change.erased, bytes.before);
      add(*change.put, bytes.after);
    } else {
      add(change.put ? *change.put : *change.erased, std::max(bytes.before, bytes.after));
    }
  }

  const Table& table_;
  const std::optional<IndexedItem>& before_;
  const std::optional<IndexedItem>& after_;
  std::string& scratch_;
  Arena& arena_;
  FixedList<Charge>& charges_;
};

}  // namespace

template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index,
                                      const IndexedItem& item, Arena& arena) {
  if (!has_keys(item.attributes, index.partition_keys, limits::kPartitionKeyBytesMax) ||
      !has_keys(item.attributes, index.sort_keys, limits::kSortKeyBytesMax)) {
    return std::nullopt;
  }
  if (index.projection.type == ProjectionType::All)
    return IndexEntry{item.attributes, item.size_bytes};
  const auto attributes = arena.allocate_array<Member>(item.attributes.size());
  std::size_t count = 0;
  std::size_t size_bytes = 0;
  for (const Member& attribute : item.attributes) {
    if (!is_projected(table, index, attribute.name)) continue;
    attributes[count++] = attribute;
    size_bytes += attribute.name.size() + value_size_bytes(attribute.value);
  }
  return IndexEntry{attributes.first(count), size_bytes};
}

template std::optional<IndexEntry> index_entry(const Table&, const LocalIndex&, const IndexedItem&,
                                               Arena&);
template std::optional<IndexEntry> index_entry(const Table&, const GlobalIndex&, const IndexedItem&,
                                               Arena&);

template <class Index>
std::string_view index_record(const Index& index, const IndexedItem& item, const IndexEntry& entry,
                              std::string& scratch, Arena& arena) {
  if (index.projection.type == ProjectionType::All) return item.record;
  scratch.clear();
  storage::encode_item(entry.attributes, entry.size_bytes,
                       storage::EncodedItem(item.record).written(), scratch);
  return arena.copy(std::string_view(scratch));
}

template std::string_view index_record(const LocalIndex&, const IndexedItem&, const IndexEntry&,
                                       std::string&, Arena&);
template std::string_view index_record(const GlobalIndex&, const IndexedItem&, const IndexEntry&,
                                       std::string&, Arena&);

bool maintains(const GlobalIndex& index, const Table& table, const PrimaryKey& key) {
  if (index.is_active()) return true;
  if (index.deleting_until || index.build->done_partition.empty()) return false;
  // The backfill handles items after its position.
  return storage::compare_positions(
             store_key_of(table, key),
             {table.space, index.build->done_partition, index.build->done_sort}) <= 0;
}

// A moved entry is charged at two positions.
std::size_t charges_max(const Table& table) {
  return 2 * (table.local_indexes.size() + table.global_indexes.size());
}

IndexChanges index_changes(const Table& table, const PrimaryKey& key,
                           const std::optional<IndexedItem>& before,
                           const std::optional<IndexedItem>& after, std::string& scratch,
                           Arena& arena, FixedList<Charge>& charges) {
  IndexUpdate update(table, before, after, scratch, arena, charges);
  IndexChanges changes;
  FixedList<EntryChange> local(table.local_indexes.size(), arena);
  for (const LocalIndex& index : table.local_indexes) {
    const EntryBytes bytes = update.change(index, local);
    changes.local_bytes_after += bytes.after;
    changes.local_bytes_difference += bytes.difference();
  }
  FixedList<EntryChange> global(table.global_indexes.size(), arena);
  for (const GlobalIndex& index : table.global_indexes) {
    if (maintains(index, table, key)) update.change(index, global);
  }
  changes.local = local.elements();
  changes.global = global.elements();
  return changes;
}

std::optional<EntryChange> late_index_change(const Table& table, const GlobalIndex& index,
                                             const std::optional<IndexedItem>& before,
                                             const std::optional<IndexedItem>& after,
                                             std::string& scratch, Arena& arena) {
  FixedList<Charge> charges(charges_max(table), arena);
  FixedList<EntryChange> changes(1, arena);
  IndexUpdate(table, before, after, scratch, arena, charges).change(index, changes);
  if (changes.elements().empty()) return std::nullopt;
  return changes.elements().front();
}

}  // namespace stator
