// The table of operations as the program has it; those of the layer under test and below.
#pragma once

#include <vector>

#include "engine/api/families.h"
#include "engine/api/operation_table.h"

#if defined(STATOR_TEST_STREAMS)
namespace stator {
std::vector<OperationFamily> all_families();  // streams/operations.h
}
#endif

namespace stator::test {

inline OperationTable all_operations() {
#if defined(STATOR_TEST_STREAMS)
  return OperationTable(all_families());
#else
  return OperationTable(engine_families());
#endif
}

}  // namespace stator::test
