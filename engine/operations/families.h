// The families of operations that the engine brings; each lists its rows in its own folder.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily item_operations();
OperationFamily partiql_operations();
OperationFamily batch_operations();
OperationFamily read_operations();
OperationFamily table_operations();
OperationFamily tag_operations();
OperationFamily transaction_operations();

}  // namespace stator
