// The operations on Kinesis destinations of tables.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily kinesis_operations();

}  // namespace stator
