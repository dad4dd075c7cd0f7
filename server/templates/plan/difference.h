// The differences between two sets of tables, for `stator schema diff`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/templates/plan/table_changes.h"

namespace stator::templates {

// Tables by name. Those of a file have a state of that shape and know everything.
struct TableSide {
  bool is_file = false;
  std::map<std::string, TableState> tables = {};
};

struct TableDifference {
  std::string name;
  bool is_in_first = true;
  bool is_in_second = true;
  std::vector<Change> changes = {};  // from the first to the second

  bool is_same() const { return is_in_first && is_in_second && changes.empty(); }
};

// By name. What a file does not say (recovery, insights, policy) or an endpoint does not
// know is no difference, nor is warm throughput, which the service raises by itself.
std::vector<TableDifference> differences_of(const TableSide& first, const TableSide& second);

}  // namespace stator::templates
