#include "engine/api/operation_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stator {

OperationTable::OperationTable(const std::vector<OperationFamily>& families) {
  std::vector<std::pair<std::string, const Operation*>> found;
  for (const OperationFamily& family : families) {
    for (const Operation& row : family.rows) {
      found.emplace_back(std::string(family.target_prefix).append(row.name), &row);
    }
  }
  std::sort(found.begin(), found.end());
  for (auto& [target, row] : found) {
    targets_.push_back(std::move(target));
    rows_.push_back(*row);
  }
  assert(std::adjacent_find(targets_.begin(), targets_.end()) == targets_.end());
}

const Operation* OperationTable::find(std::string_view target) const {
  const auto found = std::lower_bound(targets_.begin(), targets_.end(), target);
  if (found == targets_.end() || *found != target) return nullptr;
  return &rows_[static_cast<std::size_t>(found - targets_.begin())];
}

bool OperationTable::has_service(std::string_view service) const {
  const std::string prefix = std::string(service).append(".");
  const auto found = std::lower_bound(targets_.begin(), targets_.end(), prefix);
  return found != targets_.end() && found->starts_with(prefix);
}

std::string_view OperationTable::label(std::size_t number) const {
  return targets_[number].starts_with("DynamoDB") ? rows_[number].name
                                                  : std::string_view(targets_[number]);
}

}  // namespace stator
