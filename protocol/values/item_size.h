// Billed bytes of items and values: what the 400 KB limit, capacity units, pages and table sizes
// count. S and B: their bytes. N: 1 + base-100 digits aligned on the point + 1 when negative; zero
// is 1. BOOL, NULL: 1. Sets: the sum of the elements. L: 3 + 1 per element; M: 3 + 1 and the name
// per member. Attributes add their names. How sure that is: conformance/observed/capacity.md 1.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/values/value.h"

namespace stator {

std::size_t value_size_bytes(const Value& value);
// Subtracts the value's size from `left_bytes`; returns false if it is larger. Reads at most about
// `left_bytes` of the value, so a huge value costs no more than one that is slightly too large.
bool take_value_size(const Value& value, std::size_t& left_bytes);
// Subtracts an attribute's size, name included.
bool take_attribute_size(std::string_view name, const Value& value, std::size_t& left_bytes);
std::size_t item_size_bytes(Item item);

}  // namespace stator
