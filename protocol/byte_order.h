// Sorting by names or by bytes, in time linear in the bytes that tell them apart: what a client
// sends in a million pieces is sorted as fast as it is read.
#pragma once

#include <span>
#include <string_view>

#include "protocol/value.h"

namespace stator {

void sort_by_bytes(std::span<std::string_view> elements);
// Keeps the order of equal names.
void sort_by_name(std::span<Member> members);

}  // namespace stator
