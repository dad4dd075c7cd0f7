#include "engine/operations/insights/insight_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation describe_contributor_insights_row();
Operation list_contributor_insights_row();
Operation update_contributor_insights_row();

OperationFamily insight_operations() {
  static const std::array kRows{
      describe_contributor_insights_row(),
      list_contributor_insights_row(),
      update_contributor_insights_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
