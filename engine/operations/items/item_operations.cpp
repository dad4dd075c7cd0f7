// The operations on single items: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

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
