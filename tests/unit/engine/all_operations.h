// The table of operations as the program has it; those of the layer under test and below.
#pragma once

#include "engine/operations/families.h"
#include "engine/operations/operation_table.h"

#if defined(STATOR_TEST_STREAMS)
namespace stator {
OperationFamily stream_operations();  // streams/operations.h
}
#endif

namespace stator::test {

inline OperationTable all_operations() {
#if defined(STATOR_TEST_STREAMS)
  return {item_operations(), batch_operations(),       read_operations(),    table_operations(),
          tag_operations(),  transaction_operations(), partiql_operations(), stream_operations()};
#else
  return {item_operations(), batch_operations(),       read_operations(),   table_operations(),
          tag_operations(),  transaction_operations(), partiql_operations()};
#endif
}

}  // namespace stator::test
