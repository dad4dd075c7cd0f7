// Whether one string of bytes occurs in another, in time linear in both whatever they hold.
#pragma once

#include <string_view>

namespace stator {

// The empty string occurs everywhere.
bool contains_bytes(std::string_view text, std::string_view wanted);

}  // namespace stator
