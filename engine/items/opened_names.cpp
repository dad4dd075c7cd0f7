#include "engine/items/opened_names.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/updates/update.h"
#include "protocol/values/byte_order.h"

namespace stator {
namespace {

using Names = std::vector<std::string_view>;

void add_names_of(std::span<const expr::Path> paths, Names& names) {
  names.reserve(names.size() + paths.size());
  for (const expr::Path path : paths) names.push_back(path.front().name);
}

void add_names_of(const std::vector<KeyAttribute>& keys, Names& names) {
  for (const KeyAttribute& key : keys) names.push_back(key.name);
}

template <class Index>
void add_names_of(const Index& index, Names& names) {
  add_names_of(index.partition_keys, names);
  add_names_of(index.sort_keys, names);
  const auto& projected = index.projection.non_key_attributes;
  names.insert(names.end(), projected.begin(), projected.end());
}

void add_names_of_indexes(const Table& table, Names& names) {
  names.push_back(table.partition_key.name);
  if (table.sort_key) names.push_back(table.sort_key->name);
  for (const LocalIndex& index : table.local_indexes) add_names_of(index, names);
  for (const GlobalIndex& index : table.global_indexes) add_names_of(index, names);
}

std::span<const std::string_view> sorted_once(const Names& names, Arena& arena) {
  const std::span<std::string_view> sorted = arena.copy(std::span<const std::string_view>(names));
  sort_by_bytes(sorted);
  const auto end = std::unique(sorted.begin(), sorted.end());
  return sorted.first(static_cast<std::size_t>(end - sorted.begin()));
}

}  // namespace

TouchedAttributes opened_by(const Table& table, const expr::Update* update, Arena& arena) {
  Names names;
  TouchedAttributes opened;
  if (update != nullptr && expr::puts_too_large(*update)) {
    // The update fails; this collects only attributes that may cause other errors.
    for (const auto actions : {update->adds, update->deletes})
      for (const expr::ValueAction& action : actions) names.push_back(action.target.front().name);
  } else if (update != nullptr && update->is_legacy) {
    add_names_of(update->targets, names);
  } else if (update != nullptr) {
    std::vector<expr::Path> paths = expr::all_paths(*update);
    add_names_of(std::span<const expr::Path>(paths), names);
    std::erase_if(paths, [](expr::Path path) { return path.size() == 1; });
    opened.paths = expr::sort_paths(paths, arena);
  }
  if (table.has_indexes()) add_names_of_indexes(table, names);
  opened.names = sorted_once(names, arena);
  return opened;
}

std::span<const std::string_view> target_names(const expr::Update& update, Arena& arena) {
  Names names;
  add_names_of(update.targets, names);
  return sorted_once(names, arena);
}

}  // namespace stator
