// Whether one byte string occurs in another, in time linear in both, whatever their bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace stator {

// The empty string occurs in every text.
bool contains_bytes(std::string_view text, std::string_view wanted);

// Index of the first byte that differs; `wanted.size()` if none does. REQUIRES: `text` has at least
// as many bytes as `wanted`.
std::size_t first_difference(const char* text, std::string_view wanted);

}  // namespace stator
