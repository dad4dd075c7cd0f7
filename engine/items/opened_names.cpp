#include "engine/items/opened_names.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "protocol/byte_order.h"

namespace stator {
namespace {

using Names = std::vector<std::string_view>;

void add_names_of(const expr::Operand& operand, Names& names) {
  if (operand.kind == expr::Operand::Kind::Attribute) names.push_back(operand.path.front().name);
  if (operand.kind != expr::Operand::Kind::Computed) return;
  for (const expr::Operand& argument : operand.call->operands) add_names_of(argument, names);
}

void add_names_of(const expr::Update& update, Names& names) {
  for (const expr::Path target : update.targets) names.push_back(target.front().name);
  for (const expr::SetAction& action : update.sets) {
    add_names_of(action.left, names);
    if (action.arithmetic != expr::SetAction::Arithmetic::None) add_names_of(action.right, names);
  }
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

std::span<const std::string_view> opened_names(const Table& table, const expr::Update* update,
                                               Arena& arena) {
  Names names;
  if (update != nullptr) {
    names.reserve(2 * update->targets.size());
    add_names_of(*update, names);
  }
  if (table.has_indexes()) add_names_of_indexes(table, names);
  return sorted_once(names, arena);
}

std::span<const std::string_view> target_names(const expr::Update& update, Arena& arena) {
  Names names;
  names.reserve(update.targets.size());
  for (const expr::Path target : update.targets) names.push_back(target.front().name);
  return sorted_once(names, arena);
}

}  // namespace stator
