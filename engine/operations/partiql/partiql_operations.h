// The operations of PartiQL.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily partiql_operations();

}  // namespace stator
