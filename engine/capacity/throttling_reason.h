// The limits that throttle a charge, under the service's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stator::capacity {

// What a charge is for. Reads and writes always have separate limits.
enum class Dimension : std::uint8_t { Read, Write };
inline constexpr std::size_t kDimensions = 2;

enum class Limit : std::uint8_t {
  ProvisionedThroughput,  // of a provisioned table or index
  MaxOnDemandThroughput,  // the maximum set by the table's owner
  Account,                // the quota of an on-demand table
  KeyRangeThroughput,     // of one partition
};
inline constexpr std::size_t kLimits = 4;

// Sixteen combinations: table or index, dimension, limit.
struct ThrottlingReason {
  bool is_index = false;
  Dimension dimension = Dimension::Read;
  Limit limit = Limit::ProvisionedThroughput;

  bool operator==(const ThrottlingReason&) const = default;
};

// Example: TableReadProvisionedThroughputExceeded
std::string_view to_text(const ThrottlingReason& reason);

}  // namespace stator::capacity
