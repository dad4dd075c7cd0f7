// The 573 words that may not stand for an attribute's name in an expression, in any letter case.
#pragma once

#include <string_view>

namespace stator::expr {

bool is_reserved_word(std::string_view word);

}  // namespace stator::expr
