#include "engine/operations/policies/policy_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation delete_resource_policy_row();
Operation get_resource_policy_row();
Operation put_resource_policy_row();

OperationFamily policy_operations() {
  static const std::array kRows{
      delete_resource_policy_row(),
      get_resource_policy_row(),
      put_resource_policy_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
