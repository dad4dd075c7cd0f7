// TableView: the tables of a snapshot and their items, for readers outside the engine that are no
// operation.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/schema/import_job.h"
#include "engine/schema/space_stats.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

class Snapshot;

// Omits tables that are Gone. Tables and values are valid as long as the snapshot, and values as
// long as their arena too.
class TableView {
 public:
  // The snapshot must outlive this.
  explicit TableView(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // The time of the snapshot, by the engine's clock.
  Timestamp now() const;

  // The scope's table of this name, or nullptr.
  const Table* find(std::string_view scope, std::string_view name) const;

  // The last import of the scope to a table of this name, among its newest 100 imports; empty if
  // there is none.
  std::optional<ImportJob> last_import(std::string_view scope, std::string_view name) const;

  // Visits the scope's tables in the order of their names, until `visit` returns false.
  using VisitTable = std::function<bool(const Table& table)>;
  void visit_tables(std::string_view scope, const VisitTable& visit) const {
    visit_tables_after(scope, {}, visit);
  }
  // Begins at the first name above `name`.
  void visit_tables_after(std::string_view scope, std::string_view name,
                          const VisitTable& visit) const;
  bool has_tables(std::string_view scope) const;

  // Visits the scopes that have tables, or had some until recently, until `visit` returns false.
  using VisitScope = std::function<bool(std::string_view scope)>;
  void visit_scopes(const VisitScope& visit) const;

  // Items and billed bytes of a table or an index, by its space.
  Result<SpaceStats> stats(storage::SpaceId space) const;

  // Limits on what a reader takes from a table: items, and stored bytes.
  struct ItemLimits {
    std::size_t items_max;
    std::size_t bytes_max;
  };
  // The first items of the table, in the order of a Scan. Stops at a damaged record.
  std::vector<Item> first_items(const Table& table, const ItemLimits& limits, Arena& arena) const;

  // The stored item with this key; an empty item if there is none. `attributes` is a key, or with
  // `is_item` an item that contains the key. Returns nothing if the key is incomplete or the record
  // is damaged.
  std::optional<Item> find_item(const Table& table, Item attributes, bool is_item,
                                Arena& arena) const;

 private:
  const Snapshot& snapshot_;
};

}  // namespace stator
