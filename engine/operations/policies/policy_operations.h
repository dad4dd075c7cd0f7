// The operations on policies.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily policy_operations();

}  // namespace stator
