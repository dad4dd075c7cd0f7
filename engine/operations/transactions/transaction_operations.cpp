#include "engine/operations/transactions/transaction_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation transact_get_items_row();
Operation transact_write_items_row();

OperationFamily transaction_operations() {
  static const std::array kRows{
      transact_get_items_row(),
      transact_write_items_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
