// Sorting by name or by bytes, in time linear in the bytes that must be compared. A client may send
// a million elements; sorting them takes no longer than reading them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/values/value.h"

namespace stator {

// Sorts; returns whether all elements differ.
bool sort_by_bytes(std::span<std::string_view> elements);
// Stable: equal names stay in order.
void sort_by_name(std::span<Member> members);
// The indexes of the texts in the order of their bytes; equal texts stay in order.
std::vector<std::uint32_t> order_by_bytes(std::span<const std::string_view> texts);

struct DistinctOrder {
  std::vector<std::uint32_t> places;  // as order_by_bytes(); unspecified if some are equal
  // Index of the first text that equals an earlier one; the number of texts if all differ.
  std::size_t first_repeated = 0;
};
DistinctOrder order_if_distinct(std::span<const std::string_view> texts);

}  // namespace stator
