// Catalog: all tables, as an immutable snapshot that readers hold while writers publish the next
// one. The next one shares all unchanged parts, so a change costs the same with ten tables and with
// ten thousand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/shared_map.h"
#include "engine/schema/table.h"

namespace stator {

class Catalog {
 public:
  using TablePtr = std::shared_ptr<const Table>;
  using Names = SharedMap<std::string, TablePtr>;
  using Scopes = SharedMap<std::string, Names>;

  // The scope's table of this name, or nullptr. Does not find a table that is Gone at `now`.
  const Table* find(std::string_view scope, std::string_view name, Timestamp now) const;
  // The scope's table of this name in any status, or null.
  TablePtr find_recorded(std::string_view scope, std::string_view name) const;
  // The table, in any status, that uses the space for itself, for one of its indexes or for its
  // expiry entries; or nullptr.
  const Table* find(storage::SpaceId space) const;

  // The scope's tables, sorted by name.
  const Names& tables(std::string_view scope) const;
  const Scopes& scopes() const { return scopes_; }

  // Visits every table. For the start of a process, not for requests or commits.
  template <class Visit>
  void for_each(Visit visit) const {
    scopes_.for_each([&](const std::string&, const Names& names) {
      names.for_each([&](const std::string&, const TablePtr& table) { visit(*table); });
    });
  }

  // Copies with one difference. with() replaces a table of the same name.
  std::shared_ptr<const Catalog> with(const TablePtr& table) const;
  std::shared_ptr<const Catalog> without(const Table& table) const;

  // For filling a new catalog.
  void insert(const TablePtr& table);

 private:
  // Removes a table's spaces; the caller handles its name.
  void forget_spaces(const Table& table);

  Scopes scopes_;
  SharedMap<storage::SpaceId, TablePtr> spaces_;
};

// The spaces of a table: its own, its indexes' and that of its expiry entries.
std::vector<storage::SpaceId> spaces_of(const Table& table);

}  // namespace stator
