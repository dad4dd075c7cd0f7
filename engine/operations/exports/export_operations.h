// The operations on exports to S3.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily export_operations();

}  // namespace stator
