// Catalog: all tables, as an immutable snapshot that readers keep while writers swap in the next
// one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/schema/table.h"

namespace stator {

class Catalog {
 public:
  using TablePtr = std::shared_ptr<const Table>;
  using Names = std::map<std::string, TablePtr, std::less<>>;
  using Scopes = std::map<std::string, Names, std::less<>>;

  // The table of that name as the scope's requests see it, or nullptr. A table that is Gone at
  // `now` is not found.
  const Table* find(std::string_view scope, std::string_view name, Timestamp now) const;

  // The scope's tables, sorted by name.
  const Names& tables(std::string_view scope) const;
  const Scopes& scopes() const { return scopes_; }

  // Copies with one difference.
  std::shared_ptr<const Catalog> with(TablePtr table) const;
  std::shared_ptr<const Catalog> without(const Table& table) const;

  // For filling a new catalog.
  void insert(TablePtr table);

 private:
  Scopes scopes_;
};

}  // namespace stator
