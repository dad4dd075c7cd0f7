// The families of operations that the engine provides: the one list that the program and its tests
// read. Each family lists its rows in its own folder.
#pragma once

#include <vector>

#include "engine/operations/operation.h"

namespace stator {

std::vector<OperationFamily> engine_families();

}  // namespace stator
