#include "engine/operations/imports/import_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation describe_import_row();
Operation import_table_row();
Operation list_imports_row();

OperationFamily import_operations() {
  static const std::array kRows{
      describe_import_row(),
      import_table_row(),
      list_imports_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
