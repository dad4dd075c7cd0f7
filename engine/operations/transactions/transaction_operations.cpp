// The operations that do all or nothing: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

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
