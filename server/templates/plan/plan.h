// The plan of `stator apply`: what happens to each table of the files. Plain values; nothing here
// asks or changes an endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/templates/plan/table_changes.h"

namespace stator::templates {

enum class Action : std::uint8_t { Create, Update, Replace, Unchanged };

struct PlannedTable {
  DesiredTable table;
  TableShape wanted;
  std::optional<TableState> there;  // empty: a table to create
  Action action = Action::Unchanged;
  std::vector<Change> changes = {};  // of Update and Replace

  // Whether DeletionProtection forbids the replacement.
  bool is_locked() const { return action == Action::Replace && there->shape.is_protected; }
  // Whether the table's sample items are to be loaded.
  bool loads_items() const {
    if (table.items.empty()) return false;
    return action == Action::Create || action == Action::Replace || (there && there->is_unfinished);
  }
};

// A table that the files do not name and that is to be deleted.
struct PrunedTable {
  std::string name;
  std::uint64_t item_count = 0;
  bool is_protected = false;  // DeletionProtection forbids it
};

struct Plan {
  std::vector<PlannedTable> tables;
  std::vector<PrunedTable> pruned = {};

  std::size_t count(Action action) const;
  bool is_empty() const { return pruned.empty() && count(Action::Unchanged) == tables.size(); }
};

PlannedTable plan_table(DesiredTable table, TableShape wanted, std::optional<TableState> there);

}  // namespace stator::templates
