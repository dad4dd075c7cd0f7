// Keys of the lines of a bulk put's report, which are records of its space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stator::storage {

struct ReportLineKey {
  std::uint64_t number = 0;

  // The bytes of the sort key; the partition key is kReportPartition.
  std::string sort() const;
};
inline constexpr std::string_view kReportPartition = "report";

}  // namespace stator::storage
