// The operations that walk through tables and indexes: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

Operation query_row();
Operation scan_row();

OperationFamily read_operations() {
  static const std::array kRows{
      query_row(),
      scan_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
