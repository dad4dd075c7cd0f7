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

void sort_by_bytes(std::span<std::string_view> elements);
// Keeps the order of equal names.
void sort_by_name(std::span<Member> members);
// The places of the texts in the order of their bytes, those of equal ones as they stand.
std::vector<std::uint32_t> order_by_bytes(std::span<const std::string_view> texts);
// The place of the first one that equals one before it; texts.size() when all differ.
std::size_t first_repeated(std::span<const std::string_view> texts);

}  // namespace stator
