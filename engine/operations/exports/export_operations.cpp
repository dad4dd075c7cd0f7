#include "engine/operations/exports/export_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation describe_export_row();
Operation export_table_to_point_in_time_row();
Operation list_exports_row();

OperationFamily export_operations() {
  static const std::array kRows{
      describe_export_row(),
      export_table_to_point_in_time_row(),
      list_exports_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
