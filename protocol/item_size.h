// Billed bytes of items and values: what the 400 KB limit, capacity units, pages and table sizes
// count. S and B: their bytes. N: 1 + base-100 digits aligned on the point + 1 when negative; zero
// is 1. BOOL, NULL: 1. Sets: the sum of the elements. L: 3 + 1 per element; M: 3 + 1 and the name
// per member. Attributes add their names. How sure that is: conformance/observed/capacity.md 1.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/value.h"

namespace stator {

std::size_t value_size_bytes(const Value& value);
// Takes the value's size off `left_bytes`; false when it is larger. Looks at no more of the value
// than `left_bytes` tell, so that many large values cost no more than one that is just too large.
bool take_value_size(const Value& value, std::size_t& left_bytes);
// Likewise an attribute's, with its name.
bool take_attribute_size(std::string_view name, const Value& value, std::size_t& left_bytes);
std::size_t item_size_bytes(Item item);

}  // namespace stator
