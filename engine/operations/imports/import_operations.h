// The operations on imports from S3.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily import_operations();

}  // namespace stator
