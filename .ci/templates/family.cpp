#include "$header"

#include <array>

namespace stator {

// A row for each file.
Operation $row();

OperationFamily $function() {
  static const std::array kRows{
      $row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
