// Sorting by names or by bytes, in time linear in the bytes that tell them apart: what a client
// sends in a million pieces is sorted as fast as it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/value.h"

namespace stator {

// Whether all differ.
bool sort_by_bytes(std::span<std::string_view> elements);
// Keeps the order of equal names.
void sort_by_name(std::span<Member> members);
// The places of the texts in the order of their bytes, those of equal ones as they stand.
std::vector<std::uint32_t> order_by_bytes(std::span<const std::string_view> texts);

struct DistinctOrder {
  std::vector<std::uint32_t> places;  // as above; of no use when some are equal
  // The place of the first one that equals one before it; the number of texts when all differ.
  std::size_t first_repeated = 0;
};
DistinctOrder order_if_distinct(std::span<const std::string_view> texts);

}  // namespace stator
