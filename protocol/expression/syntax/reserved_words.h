// The 573 words that an expression may not use as an attribute's name, in any letter case.
#pragma once

#include <string_view>

namespace stator::expr {

bool is_reserved_word(std::string_view word);

}  // namespace stator::expr
