// The operations that read tables and indexes in pages.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily read_operations();

}  // namespace stator
