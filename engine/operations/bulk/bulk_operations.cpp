#include "engine/operations/bulk/bulk_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation cancel_bulk_operation_row();
Operation describe_bulk_operation_row();
Operation list_bulk_operations_row();
Operation start_bulk_put_items_row();

OperationFamily bulk_operations() {
  static const std::array kRows{
      cancel_bulk_operation_row(),
      describe_bulk_operation_row(),
      list_bulk_operations_row(),
      start_bulk_put_items_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
