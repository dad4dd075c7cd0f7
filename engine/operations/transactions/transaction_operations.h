// The operations of transactions.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily transaction_operations();

}  // namespace stator
