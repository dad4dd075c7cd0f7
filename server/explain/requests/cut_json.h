// Repairs JSON of which only the beginning was recorded.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// Drops an incomplete member or element at the end, and closes all open objects and arrays. Returns
// some text for a beginning that is no JSON.
std::string closed_json(std::string_view beginning);

}  // namespace stator
