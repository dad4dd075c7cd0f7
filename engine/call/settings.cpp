#include "engine/call/settings.h"

#include "engine/capacity/parameters.h"

namespace stator {

std::shared_ptr<const capacity::CapacityParameters> standard_capacity() {
  return std::make_shared<const capacity::CapacityParameters>();
}

}  // namespace stator
