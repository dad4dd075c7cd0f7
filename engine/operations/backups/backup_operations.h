// The operations on backups.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily backup_operations();

}  // namespace stator
