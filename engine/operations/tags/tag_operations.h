// The operations on tags.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily tag_operations();

}  // namespace stator
