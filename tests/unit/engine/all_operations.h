// The table of operations as the program has it.
#pragma once

#include "engine/operations/families.h"
#include "engine/operations/operation_table.h"

namespace stator::test {

inline OperationTable all_operations() {
  return {item_operations(), batch_operations(), read_operations(), table_operations(),
          tag_operations()};
}

}  // namespace stator::test
