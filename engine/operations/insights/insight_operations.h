// The operations of Contributor Insights.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily insight_operations();

}  // namespace stator
