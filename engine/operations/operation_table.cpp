#include "engine/operations/operation_table.h"

#include <algorithm>
#include <cassert>

namespace stator {

OperationTable::OperationTable(std::initializer_list<OperationFamily> families) {
  for (const OperationFamily& family : families) {
    for (const Operation& row : family.rows) {
      entries_.push_back({std::string(family.target_prefix).append(row.name), &row});
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.target < b.target; });
  assert(std::adjacent_find(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
           return a.target == b.target;
         }) == entries_.end());
}

const Operation* OperationTable::find(std::string_view target) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), target,
      [](const Entry& entry, std::string_view wanted) { return entry.target < wanted; });
  return found != entries_.end() && found->target == target ? found->operation : nullptr;
}

}  // namespace stator
