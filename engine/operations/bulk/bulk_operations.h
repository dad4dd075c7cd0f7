// The operations on bulk puts: objects of S3 whose items are put to a table.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily bulk_operations();

}  // namespace stator
