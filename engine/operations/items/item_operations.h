// The operations on single items.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily item_operations();

}  // namespace stator
