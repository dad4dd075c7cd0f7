// Names of policies that are compared without regard to case.
#pragma once

#include <string>
#include <string_view>

namespace stator::access {

// The text with its letters, of ASCII and of Latin-1, in lower case. Policies have no others.
std::string folded(std::string_view text);
// Whether two texts are equal but for the case of letters of ASCII.
bool is_same_key(std::string_view a, std::string_view b);

}  // namespace stator::access
