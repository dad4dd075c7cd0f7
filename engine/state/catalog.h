// Catalog: all tables, as an immutable snapshot that readers keep while writers swap in the next
// one. The next one shares what did not change, so a change costs the same with ten tables and with
// ten thousand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "engine/state/shared_map.h"

namespace stator {

class Catalog {
 public:
  using TablePtr = std::shared_ptr<const Table>;
  using Names = SharedMap<std::string, TablePtr>;
  using Scopes = SharedMap<std::string, Names>;

  // The table of that name as the scope's requests see it, or nullptr. A table that is Gone at
  // `now` is not found.
  const Table* find(std::string_view scope, std::string_view name, Timestamp now) const;
  // The same whatever its status.
  TablePtr find_recorded(std::string_view scope, std::string_view name) const;
  // The table that has the space for itself, for one of its indexes or for when its items expire,
  // whatever its status, or nullptr.
  const Table* find(storage::SpaceId space) const;

  // The scope's tables, sorted by name.
  const Names& tables(std::string_view scope) const;
  const Scopes& scopes() const { return scopes_; }

  // Visits every table: for the start of a process, not for requests or commits.
  template <class Visit>
  void for_each(Visit visit) const {
    scopes_.for_each([&](const std::string&, const Names& names) {
      names.for_each([&](const std::string&, const TablePtr& table) { visit(*table); });
    });
  }

  // Copies with one difference. The table replaces the one of its name.
  std::shared_ptr<const Catalog> with(const TablePtr& table) const;
  std::shared_ptr<const Catalog> without(const Table& table) const;

  // For filling a new catalog.
  void insert(const TablePtr& table);

 private:
  // Takes a table's spaces out; what is left of its name is for the caller.
  void forget_spaces(const Table& table);

  Scopes scopes_;
  SharedMap<storage::SpaceId, TablePtr> spaces_;
};

// The spaces of a table: its own, its indexes' and that of when its items expire.
std::vector<storage::SpaceId> spaces_of(const Table& table);

}  // namespace stator
