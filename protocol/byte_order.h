// Sorting by names or by bytes, in time linear in the bytes that tell them apart: what a client
// sends in a million pieces is sorted as fast as it is read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/json_tree.h"
#include "protocol/value.h"

namespace stator {

void sort_by_bytes(std::span<std::string_view> elements);
// Keeps the order of equal names.
void sort_by_name(std::span<Member> members);
// The places of the members in the order of their names, those of equal names as they stand.
std::vector<std::uint32_t> order_by_name(std::span<const JsonMember> members);

}  // namespace stator
