#include "engine/operations/read_target.h"

#include <algorithm>
#include <string>

#include "engine/index_key.h"

namespace stator {
namespace {

bool is_named(std::span<const KeyAttribute> keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const KeyAttribute& key) { return key.name == name; });
}

bool is_table_key(const Table& table, std::string_view name) {
  return table.partition_key.name == name || (table.sort_key && table.sort_key->name == name);
}

bool is_index_key(const Table& table, std::string_view name) {
  const auto has_key = [&](const auto& index) {
    return is_named(index.partition_keys, name) || is_named(index.sort_keys, name);
  };
  return std::any_of(table.global_indexes.begin(), table.global_indexes.end(), has_key) ||
         std::any_of(table.local_indexes.begin(), table.local_indexes.end(), has_key);
}

const Projection* projection_of(const ReadTarget& target) {
  if (target.local != nullptr) return &target.local->projection;
  return target.global != nullptr ? &target.global->projection : nullptr;
}

const LocalIndex* find_local_index(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.local_indexes.begin(), table.local_indexes.end(),
                                  [&](const LocalIndex& index) { return index.name == name; });
  return found == table.local_indexes.end() ? nullptr : &*found;
}

}  // namespace

storage::SpaceId ReadTarget::space() const {
  if (local != nullptr) return local->space;
  return global != nullptr ? global->space : table->space;
}

std::span<const KeyAttribute> ReadTarget::partition_keys() const {
  if (global != nullptr) return global->partition_keys;
  return {&table->partition_key, 1};
}

std::span<const KeyAttribute> ReadTarget::sort_keys() const {
  if (local != nullptr) return local->sort_keys;
  if (global != nullptr) return global->sort_keys;
  if (!table->sort_key) return {};
  return {&*table->sort_key, 1};
}

bool ReadTarget::is_key(std::string_view attribute) const {
  return is_named(partition_keys(), attribute) || is_named(sort_keys(), attribute);
}

bool ReadTarget::carries_all() const {
  const Projection* projection = projection_of(*this);
  return projection == nullptr || projection->type == ProjectionType::All;
}

bool ReadTarget::carries(std::string_view attribute) const {
  if (carries_all() || is_table_key(*table, attribute) || is_key(attribute)) return true;
  const auto& names = projection_of(*this)->non_key_attributes;
  return std::find(names.begin(), names.end(), attribute) != names.end();
}

Result<ReadTarget> find_read_target(std::string_view table_name,
                                    std::optional<std::string_view> index_name,
                                    const Snapshot& snapshot, Call& call) {
  ReadTarget target;
  STATOR_TRY(target.table, snapshot.item_table(call, table_name));
  if (!index_name) return target;
  target.local = find_local_index(*target.table, *index_name);
  if (target.local != nullptr) return target;
  const Timestamp now = snapshot.now();
  target.global = target.table->find_global_index(*index_name, now);
  // One on its way out is as good as gone.
  if (target.global == nullptr || target.global->deleting_until) {
    return Error::validation(
        std::string("The table does not have the specified index: ").append(*index_name));
  }
  if (call.consistent_read) {
    return Error::validation("Consistent reads are not supported on global secondary indexes");
  }
  if (!target.global->is_active()) {
    return Error::validation(
        std::string("Cannot read from backfilling global secondary index: ").append(*index_name));
  }
  return target;
}

storage::StoreKey store_key(const ReadTarget& target, Item key, Arena& arena) {
  if (target.is_index()) {
    const IndexKey entry = target.local != nullptr
                               ? index_key(*target.table, *target.local, key, arena)
                               : index_key(*target.table, *target.global, key, arena);
    return {target.space(), entry.partition, entry.sort};
  }
  const auto bytes = [&](const KeyAttribute& attribute) {
    return find_attribute(key, attribute.name)->bytes();
  };
  const auto& sort_key = target.table->sort_key;
  return {target.space(), bytes(target.table->partition_key),
          sort_key ? bytes(*sort_key) : std::string_view()};
}

Result<void> check_key_paths(const Table& table, std::span<const expr::Path> paths) {
  constexpr std::string_view kText =
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
      "allowed: ";
  const auto is_nested = [](const expr::Path& path) { return path.size() > 1; };
  if (std::none_of(paths.begin(), paths.end(), is_nested)) return {};
  const auto refuse = [&](const char* kind, std::string_view name) {
    return Error::validation(std::string(kText).append(kind).append(": ").append(name));
  };
  for (const expr::Path& path : paths) {
    const std::string_view name = path.front().name;
    if (is_nested(path) && is_table_key(table, name)) return refuse("Key", name);
  }
  for (const expr::Path& path : paths) {
    const std::string_view name = path.front().name;
    if (is_nested(path) && is_index_key(table, name)) return refuse("IndexKey", name);
  }
  return {};
}

Result<void> check_key_paths(const Table& table, const expr::Projection* projection) {
  return projection == nullptr ? Result<void>() : check_key_paths(table, projection->paths);
}

}  // namespace stator
