#include "engine/operations/reads/read_operations.h"

#include <array>

namespace stator {

// A row for each file.
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
