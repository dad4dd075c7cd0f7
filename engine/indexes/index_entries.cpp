#include "engine/indexes/index_entries.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/storage/item_codec.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"

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

// Whether the item has all these key attributes as an index takes them. Several share the limit.
bool has_keys(Item item, const std::vector<KeyAttribute>& keys, std::size_t size_bytes_max) {
  std::size_t size_bytes = 0;
  for (const KeyAttribute& key : keys) {
    const Value* value = find_attribute(item, key.name);
    if (value == nullptr || value->type() != key.type) return false;
    if (value->bytes().empty()) return false;  // a number's ordered bytes never are
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
  return std::equal(
      before.begin(), before.end(), after.begin(), after.end(),
      [](const Member& a, const Member& b) { return a.name == b.name && a.value == b.value; });
}

void enter_change(storage::SpaceId space, const IndexChange& change, Mutation& mutation) {
  if (change.erased) mutation.erase_record({space, change.erased->partition, change.erased->sort});
  if (change.put)
    mutation.put_record({space, change.put->partition, change.put->sort}, change.record);
  mutation.count(space, change.difference);
}

// Billed bytes of an item's entry in one index.
struct EntryBytes {
  std::size_t before;
  std::size_t after;

  std::int64_t difference() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
};

// What one write does to the indexes.
class IndexUpdate {
 public:
  IndexUpdate(const Table& table, const std::optional<IndexedItem>& before,
              const std::optional<IndexedItem>& after, Mutation& mutation, Arena& arena)
      : table_(table), before_(before), after_(after), mutation_(mutation), arena_(arena) {}

  // The units are those of capacity.h for each entry that is put or erased: a moved one is both, a
  // replaced one counts once, by its larger size.
  template <class Index>
  EntryBytes apply(const Index& index, std::vector<ConsumedCapacity::IndexUnits>& units) {
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

    units.push_back(
        {index.name, is_moved ? write_units_milli(bytes.before) + write_units_milli(bytes.after)
                              : write_units_milli(std::max(bytes.before, bytes.after))});

    IndexChange change;
    change.difference = {(new_entry ? 1 : 0) - (old_entry ? 1 : 0), bytes.difference()};
    if (old_entry && (is_moved || !new_entry))
      change.erased = index_key(table_, index, before_->attributes, arena_);
    if (new_entry) {
      change.put = index_key(table_, index, after_->attributes, arena_);
      change.record = index_record(index, *after_, *new_entry, mutation_.scratch(), arena_);
    }
    change_index(index, change, mutation_);
    return bytes;
  }

 private:
  template <class Index>
  std::optional<IndexEntry> entry_of(const Index& index, const std::optional<IndexedItem>& item) {
    return item ? index_entry(table_, index, *item, arena_) : std::nullopt;
  }

  const Table& table_;
  const std::optional<IndexedItem>& before_;
  const std::optional<IndexedItem>& after_;
  Mutation& mutation_;
  Arena& arena_;
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
  storage::encode_item(entry.attributes, entry.size_bytes, scratch);
  return arena.copy(std::string_view(scratch));
}

template std::string_view index_record(const LocalIndex&, const IndexedItem&, const IndexEntry&,
                                       std::string&, Arena&);
template std::string_view index_record(const GlobalIndex&, const IndexedItem&, const IndexEntry&,
                                       std::string&, Arena&);

void change_index(const LocalIndex& index, const IndexChange& change, Mutation& mutation) {
  enter_change(index.space, change, mutation);
}

void change_index(const GlobalIndex& index, const IndexChange& change, Mutation& mutation) {
  const auto store_key = [&](const std::optional<IndexKey>& key) {
    return key ? std::optional(storage::StoreKey{index.space, key->partition, key->sort})
               : std::nullopt;
  };
  mutation.change_entry({.space = index.space,
                         .erased = store_key(change.erased),
                         .put = store_key(change.put),
                         .record = change.record,
                         .difference = change.difference});
}

bool maintains(const GlobalIndex& index, const Table& table, const PrimaryKey& key) {
  if (index.is_active()) return true;
  if (index.deleting_until || index.build->done_partition.empty()) return false;
  // Items behind the backfill's position are left to it.
  return storage::compare_positions(
             store_key_of(table, key),
             {table.space, index.build->done_partition, index.build->done_sort}) <= 0;
}

LocalEntryBytes update_indexes(const Table& table, const PrimaryKey& key,
                               const std::optional<IndexedItem>& before,
                               const std::optional<IndexedItem>& after, Mutation& mutation,
                               ConsumedCapacity& consumed, Arena& arena) {
  IndexUpdate update(table, before, after, mutation, arena);
  LocalEntryBytes local;
  for (const LocalIndex& index : table.local_indexes) {
    const EntryBytes bytes = update.apply(index, consumed.local_indexes);
    local.after += bytes.after;
    local.difference += bytes.difference();
  }
  for (const GlobalIndex& index : table.global_indexes) {
    if (maintains(index, table, key)) update.apply(index, consumed.global_indexes);
  }
  return local;
}

}  // namespace stator
