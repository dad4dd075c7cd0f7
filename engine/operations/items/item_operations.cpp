#include "engine/operations/items/item_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation delete_item_row();
Operation get_item_row();
Operation put_item_row();
Operation update_item_row();

OperationFamily item_operations() {
  static const std::array kRows{
      delete_item_row(),
      get_item_row(),
      put_item_row(),
      update_item_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
