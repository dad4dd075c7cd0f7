#include "engine/operations/tags/tag_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation list_tags_of_resource_row();
Operation tag_resource_row();
Operation untag_resource_row();

OperationFamily tag_operations() {
  static const std::array kRows{
      list_tags_of_resource_row(),
      tag_resource_row(),
      untag_resource_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
