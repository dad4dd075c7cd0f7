// The operations on tables and on the account.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily table_operations();

}  // namespace stator
