// The operations on many items at once.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily batch_operations();

}  // namespace stator
