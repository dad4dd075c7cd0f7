// SpaceStats: how much a table or an index holds.
#pragma once

#include <cstdint>

namespace stator {

// Number and billed bytes of the items of a table or index.
struct SpaceStats {
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
};

}  // namespace stator
