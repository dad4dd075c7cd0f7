// The operations on $subject.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily $function();

}  // namespace stator
