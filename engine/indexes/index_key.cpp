// Index keys: tuples of ordered bytes, and the tie that distinguishes entries with equal index
// keys.
#include "engine/indexes/index_key.h"

#include <cassert>
#include <type_traits>

namespace stator {
namespace {

std::string_view key_bytes(Item item, const KeyAttribute& key) {
  const Value* value = find_attribute(item, key.name);
  assert(value != nullptr && value->type() == key.type);
  return value->bytes();
}

std::string_view partition_of(const std::vector<KeyAttribute>& keys, Item item, Arena& arena) {
  if (keys.size() == 1) return arena.copy(key_bytes(item, keys.front()));
  const auto values = arena.allocate_array<std::string_view>(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = key_bytes(item, keys[i]);
  return index_partition(values, arena);
}

}  // namespace

template <class Index>
IndexKey index_key(const Table& table, const Index& index, Item item, Arena& arena) {
  std::string sort;
  for (const KeyAttribute& key : index.sort_keys) append_tuple_element(sort, key_bytes(item, key));
  if constexpr (std::is_same_v<Index, GlobalIndex>) {
    std::string primary_key(key_bytes(item, table.partition_key));
    const std::size_t partition_bytes = primary_key.size();
    if (table.sort_key) primary_key += key_bytes(item, *table.sort_key);
    append_tuple_hash(sort, primary_key);
    append_tuple_element(sort, std::string_view(primary_key).substr(0, partition_bytes));
  }
  if (table.sort_key) sort += key_bytes(item, *table.sort_key);
  return {partition_of(index.partition_keys, item, arena), arena.copy(std::string_view(sort))};
}

template IndexKey index_key(const Table&, const LocalIndex&, Item, Arena&);
template IndexKey index_key(const Table&, const GlobalIndex&, Item, Arena&);

std::string_view index_partition(std::span<const std::string_view> values, Arena& arena) {
  assert(!values.empty());
  if (values.size() == 1) return arena.copy(values.front());
  std::string partition;
  for (const std::string_view value : values) append_tuple_element(partition, value);
  return arena.copy(std::string_view(partition));
}

}  // namespace stator
