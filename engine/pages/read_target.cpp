#include "engine/pages/read_target.h"

#include <algorithm>
#include <string>

#include "engine/indexes/index_key.h"
#include "protocol/errors/rule.h"

namespace stator {
namespace {

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
  return is_one_of(partition_keys(), attribute) || is_one_of(sort_keys(), attribute);
}

bool ReadTarget::carries_all() const {
  const Projection* projection = projection_of(*this);
  return projection == nullptr || projection->type == ProjectionType::All;
}

bool ReadTarget::carries(std::string_view attribute) const {
  if (carries_all() || table->is_key(attribute) || is_key(attribute)) return true;
  const auto& names = projection_of(*this)->non_key_attributes;
  return std::find(names.begin(), names.end(), attribute) != names.end();
}

Error no_such_index(std::string_view name) {
  std::string message = "The table does not have the specified index";
  if (!name.empty()) message.append(": ").append(name);
  return Error::validation(std::move(message)).with_rule(Rule::IndexExists, {name});
}

Result<ReadTarget> find_read_target(const Table& table, std::optional<std::string_view> index_name,
                                    bool is_consistent, Timestamp now) {
  ReadTarget target;
  target.table = &table;
  if (!index_name) return target;
  target.local = find_local_index(table, *index_name);
  if (target.local != nullptr) return target;
  target.global = table.find_global_index(*index_name, now);
  // An index being deleted counts as missing.
  if (target.global == nullptr || target.global->deleting_until) {
    return no_such_index(*index_name);
  }
  if (is_consistent) {
    return Error::validation("Consistent reads are not supported on global secondary indexes")
        .with_rule(Rule::ConsistentReadOfIndex);
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

}  // namespace stator
