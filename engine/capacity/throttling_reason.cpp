#include "engine/capacity/throttling_reason.h"

#include <array>

namespace stator::capacity {
namespace {

constexpr std::array<std::string_view, 2 * kDimensions* kLimits> kNames = {
    "TableReadProvisionedThroughputExceeded",  "TableReadMaxOnDemandThroughputExceeded",
    "TableReadAccountLimitExceeded",           "TableReadKeyRangeThroughputExceeded",
    "TableWriteProvisionedThroughputExceeded", "TableWriteMaxOnDemandThroughputExceeded",
    "TableWriteAccountLimitExceeded",          "TableWriteKeyRangeThroughputExceeded",
    "IndexReadProvisionedThroughputExceeded",  "IndexReadMaxOnDemandThroughputExceeded",
    "IndexReadAccountLimitExceeded",           "IndexReadKeyRangeThroughputExceeded",
    "IndexWriteProvisionedThroughputExceeded", "IndexWriteMaxOnDemandThroughputExceeded",
    "IndexWriteAccountLimitExceeded",          "IndexWriteKeyRangeThroughputExceeded",
};

}  // namespace

std::string_view to_text(const ThrottlingReason& reason) {
  const std::size_t resource = reason.is_index ? 1 : 0;
  const auto dimension = static_cast<std::size_t>(reason.dimension);
  const auto limit = static_cast<std::size_t>(reason.limit);
  return kNames[(resource * kDimensions + dimension) * kLimits + limit];
}

}  // namespace stator::capacity
