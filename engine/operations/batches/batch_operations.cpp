// The operations on many items at once: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

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
