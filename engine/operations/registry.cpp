// The table of operations. A new operation is one file and one line here (and its declaration in
// rows.h).
#include <algorithm>
#include <array>

#include "engine/operations/rows.h"

namespace stator {
namespace {

constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";

const auto& rows() {
  // Sorted by name.
  static const std::array kRows{
      batch_get_item_row(),
      batch_write_item_row(),
      create_table_row(),
      delete_item_row(),
      delete_table_row(),
      describe_endpoints_row(),
      describe_limits_row(),
      describe_table_row(),
      get_item_row(),
      list_tables_row(),
      list_tags_of_resource_row(),
      put_item_row(),
      query_row(),
      scan_row(),
      tag_resource_row(),
      untag_resource_row(),
      update_item_row(),
      update_table_row(),
  };
  return kRows;
}

}  // namespace

std::span<const Operation> operations() { return rows(); }

const Operation* find_operation(std::string_view target) {
  if (!target.starts_with(kTargetPrefix)) return nullptr;
  target.remove_prefix(kTargetPrefix.size());
  const auto found =
      std::lower_bound(rows().begin(), rows().end(), target,
                       [](const Operation& row, std::string_view name) { return row.name < name; });
  return found != rows().end() && found->name == target ? &*found : nullptr;
}

}  // namespace stator
