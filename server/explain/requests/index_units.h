// The units that a recorded request consumed of indexes, as RecentRequest::Part::IndexUnits.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

// Formats the units without allocation: "Orders by_status 1500\n" for each index, in thousandths.
// What does not fit is left out, index by index; text() is then shorter than whole_bytes().
class IndexUnitsText {
 public:
  explicit IndexUnitsText(std::span<const IndexUse> uses);

  std::string_view text() const { return {bytes_.data(), size_}; }
  std::size_t whole_bytes() const { return whole_bytes_; }

 private:
  std::array<char, RecentRequest::bytes_max(RecentRequest::Part::IndexUnits)> bytes_;  // size_: set
  std::size_t size_ = 0;
  std::size_t whole_bytes_ = 0;
};

// Views into the recorded request.
std::vector<IndexUse> recorded_index_uses(const RecentRequest& request);

}  // namespace stator
