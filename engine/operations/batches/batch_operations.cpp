#include "engine/operations/batches/batch_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation batch_get_item_row();
Operation batch_write_item_row();

OperationFamily batch_operations() {
  static const std::array kRows{
      batch_get_item_row(),
      batch_write_item_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
