#include "engine/index.h"

#include <algorithm>

#include "protocol/item_size.h"

namespace stator {
namespace {

bool has_key(Item item, const KeyAttribute& key) {
  const Value* value = find_attribute(item, key.name);
  return value != nullptr && value->type() == key.type;
}

bool is_named(const std::vector<KeyAttribute>& keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const KeyAttribute& key) { return key.name == name; });
}

template <class Index>
bool is_projected(const Table& table, const Index& index, std::string_view name) {
  if (index.projection.type == ProjectionType::All) return true;
  if (name == table.partition_key.name || (table.sort_key && name == table.sort_key->name))
    return true;
  if (is_named(index.partition_keys, name) || is_named(index.sort_keys, name)) return true;
  const auto& names = index.projection.non_key_attributes;
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool same_keys(const std::vector<KeyAttribute>& keys, Item before, Item after) {
  return std::all_of(keys.begin(), keys.end(), [&](const KeyAttribute& key) {
    return *find_attribute(before, key.name) == *find_attribute(after, key.name);
  });
}

bool same_attributes(const IndexEntry& before, const IndexEntry& after) {
  return std::equal(before.attributes.begin(), before.attributes.end(), after.attributes.begin(),
                    after.attributes.end(), [](const Member* a, const Member* b) {
                      return a->name == b->name && a->value == b->value;
                    });
}

// Units of one index for one change; the table of capacity.md 3.2.
template <class Index>
std::int64_t index_units_milli(const Index& index, const std::optional<IndexEntry>& old_entry,
                               const std::optional<IndexEntry>& new_entry, const Item* before,
                               const Item* after) {
  if (!old_entry && !new_entry) return 0;
  if (!old_entry) return write_units_milli(new_entry->size_bytes);
  if (!new_entry) return write_units_milli(old_entry->size_bytes);
  if (!same_keys(index.partition_keys, *before, *after) ||
      !same_keys(index.sort_keys, *before, *after)) {
    return write_units_milli(old_entry->size_bytes) + write_units_milli(new_entry->size_bytes);
  }
  if (same_attributes(*old_entry, *new_entry)) return 0;
  return write_units_milli(std::max(old_entry->size_bytes, new_entry->size_bytes));
}

// Returns the difference of the index's size.
template <class Index>
std::int64_t account(const Table& table, const Index& index, const Item* before, const Item* after,
                     Mutation& mutation, std::vector<ConsumedCapacity::IndexUnits>& units) {
  const auto old_entry = before == nullptr ? std::nullopt : index_entry(table, index, *before);
  const auto new_entry = after == nullptr ? std::nullopt : index_entry(table, index, *after);
  const std::int64_t milli = index_units_milli(index, old_entry, new_entry, before, after);
  if (milli != 0) units.push_back({index.name, milli});
  const auto old_bytes = old_entry ? static_cast<std::int64_t>(old_entry->size_bytes) : 0;
  const auto new_bytes = new_entry ? static_cast<std::int64_t>(new_entry->size_bytes) : 0;
  const std::int64_t items = (new_entry ? 1 : 0) - (old_entry ? 1 : 0);
  mutation.count(index.space, {items, new_bytes - old_bytes});
  return new_bytes - old_bytes;
}

}  // namespace

template <class Index>
std::optional<IndexEntry> index_entry(const Table& table, const Index& index, Item item) {
  const auto present = [&](const KeyAttribute& key) { return has_key(item, key); };
  if (!std::all_of(index.partition_keys.begin(), index.partition_keys.end(), present))
    return std::nullopt;
  if (!std::all_of(index.sort_keys.begin(), index.sort_keys.end(), present)) return std::nullopt;
  IndexEntry entry;
  for (const Member& attribute : item) {
    if (!is_projected(table, index, attribute.name)) continue;
    entry.attributes.push_back(&attribute);
    entry.size_bytes += attribute.name.size() + value_size_bytes(attribute.value);
  }
  return entry;
}

template std::optional<IndexEntry> index_entry(const Table&, const LocalIndex&, Item);
template std::optional<IndexEntry> index_entry(const Table&, const GlobalIndex&, Item);

std::int64_t account_indexes(const Table& table, const Item* before, const Item* after,
                             Mutation& mutation, ConsumedCapacity& consumed) {
  std::int64_t collection_bytes = 0;
  for (const LocalIndex& index : table.local_indexes) {
    collection_bytes += account(table, index, before, after, mutation, consumed.local_indexes);
  }
  for (const GlobalIndex& index : table.global_indexes) {
    account(table, index, before, after, mutation, consumed.global_indexes);
  }
  return collection_bytes;
}

}  // namespace stator
