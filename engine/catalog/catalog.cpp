#include "engine/catalog/catalog.h"

#include <utility>

namespace stator {

std::vector<storage::SpaceId> spaces_of(const Table& table) {
  std::vector<storage::SpaceId> spaces{table.space};
  for (const LocalIndex& index : table.local_indexes) spaces.push_back(index.space);
  for (const GlobalIndex& index : table.global_indexes) spaces.push_back(index.space);
  if (const TimeToLive* expiry = table.expiry()) spaces.push_back(expiry->space);
  return spaces;
}

const Table* Catalog::find(std::string_view scope, std::string_view name, Timestamp now) const {
  const TablePtr* table = tables(scope).find(name);
  return table == nullptr || (*table)->status(now) == TableStatus::Gone ? nullptr : table->get();
}

Catalog::TablePtr Catalog::find_recorded(std::string_view scope, std::string_view name) const {
  const TablePtr* table = tables(scope).find(name);
  return table == nullptr ? nullptr : *table;
}

const Table* Catalog::find(storage::SpaceId space) const {
  const TablePtr* table = spaces_.find(space);
  return table == nullptr ? nullptr : table->get();
}

const Catalog::Names& Catalog::tables(std::string_view scope) const {
  static const Names kNone;
  const Names* names = scopes_.find(scope);
  return names == nullptr ? kNone : *names;
}

std::shared_ptr<const Catalog> Catalog::with(const TablePtr& table) const {
  auto next = std::make_shared<Catalog>(*this);
  next->insert(table);
  return next;
}

std::shared_ptr<const Catalog> Catalog::without(const Table& table) const {
  auto next = std::make_shared<Catalog>(*this);
  if (const TablePtr recorded = find_recorded(table.scope, table.name)) {
    next->forget_spaces(*recorded);
    Names names = tables(table.scope).without(table.name);
    next->scopes_ = names.is_empty() ? scopes_.without(table.scope)
                                     : scopes_.with(table.scope, std::move(names));
  }
  return next;
}

void Catalog::insert(const TablePtr& table) {
  if (const TablePtr before = find_recorded(table->scope, table->name)) forget_spaces(*before);
  for (const storage::SpaceId space : spaces_of(*table)) spaces_ = spaces_.with(space, table);
  scopes_ = scopes_.with(table->scope, tables(table->scope).with(table->name, table));
}

void Catalog::forget_spaces(const Table& table) {
  for (const storage::SpaceId space : spaces_of(table)) spaces_ = spaces_.without(space);
}

}  // namespace stator
