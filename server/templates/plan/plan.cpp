#include "server/templates/plan/plan.h"

#include <algorithm>
#include <utility>

namespace stator::templates {

std::size_t Plan::count(Action action) const {
  return static_cast<std::size_t>(
      std::count_if(tables.begin(), tables.end(),
                    [action](const PlannedTable& table) { return table.action == action; }));
}

PlannedTable plan_table(DesiredTable table, TableShape wanted, std::optional<TableState> there) {
  PlannedTable planned{std::move(table), std::move(wanted), std::move(there), Action::Create, {}};
  if (!planned.there) return planned;
  planned.changes = changes_of(planned.wanted, *planned.there);
  const bool is_replaced =
      std::any_of(planned.changes.begin(), planned.changes.end(),
                  [](const Change& change) { return change.needs_replacement; });
  planned.action = Action::Update;
  if (planned.changes.empty()) planned.action = Action::Unchanged;
  if (is_replaced) planned.action = Action::Replace;
  return planned;
}

}  // namespace stator::templates
