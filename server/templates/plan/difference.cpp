#include "server/templates/plan/difference.h"

#include <utility>

namespace stator::templates {

namespace {

void forget_warm(TableShape& table) {
  table.warm.reset();
  for (auto& [name, index] : table.global_indexes) index.warm.reset();
}

std::vector<Change> changes_between(const TableState& first, const TableState& second,
                                    bool first_is_file) {
  TableState from = first;
  from.is_unfinished = false;
  from.knows_tags = first.knows_tags && second.knows_tags;
  from.knows_ttl = first.knows_ttl && second.knows_ttl;
  from.shape = completed(from.shape, second.shape);
  TableShape to = second.shape;
  forget_warm(to);
  std::vector<Change> changes = changes_of(to, from);
  if (first_is_file && !first.shape.policy.empty() && to.policy.empty())
    changes.push_back({"ResourcePolicy", "that of the file -> none"});
  return changes;
}

}  // namespace

std::vector<TableDifference> differences_of(const TableSide& first, const TableSide& second) {
  std::map<std::string, TableDifference> differences;
  for (const auto& [name, table] : first.tables) {
    TableDifference& difference = differences[name];
    const auto other = second.tables.find(name);
    difference.is_in_second = other != second.tables.end();
    if (difference.is_in_second)
      difference.changes = changes_between(table, other->second, first.is_file);
  }
  for (const auto& [name, table] : second.tables)
    if (!first.tables.contains(name)) differences[name].is_in_first = false;
  std::vector<TableDifference> list;
  for (auto& [name, difference] : differences) {
    difference.name = name;
    list.push_back(std::move(difference));
  }
  return list;
}

}  // namespace stator::templates
