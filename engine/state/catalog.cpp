#include "engine/state/catalog.h"

namespace stator {

const Table* Catalog::find(std::string_view scope, std::string_view name, Timestamp now) const {
  const Names& names = tables(scope);
  const auto found = names.find(name);
  if (found == names.end() || found->second->status(now) == TableStatus::Gone) return nullptr;
  return found->second.get();
}

const Catalog::Names& Catalog::tables(std::string_view scope) const {
  static const Names kNone;
  const auto found = scopes_.find(scope);
  return found == scopes_.end() ? kNone : found->second;
}

std::shared_ptr<const Catalog> Catalog::with(TablePtr table) const {
  auto next = std::make_shared<Catalog>(*this);
  next->insert(std::move(table));
  return next;
}

std::shared_ptr<const Catalog> Catalog::without(const Table& table) const {
  auto next = std::make_shared<Catalog>(*this);
  const auto scope = next->scopes_.find(table.scope);
  if (scope != next->scopes_.end()) {
    scope->second.erase(table.name);
    if (scope->second.empty()) next->scopes_.erase(scope);
  }
  return next;
}

void Catalog::insert(TablePtr table) {
  Names& names = scopes_[table->scope];
  names[table->name] = std::move(table);
}

}  // namespace stator
