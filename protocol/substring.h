// Whether one string of bytes occurs in another, in time linear in both whatever they hold.
#pragma once

#include <cstddef>
#include <string_view>

namespace stator {

// The empty string occurs everywhere.
bool contains_bytes(std::string_view text, std::string_view wanted);

// Index of the first byte in which the two differ, `wanted.size()` when they do not. `text` has as
// many bytes.
std::size_t first_difference(const char* text, std::string_view wanted);

}  // namespace stator
