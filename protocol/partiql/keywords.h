// The words that are identifiers only if quoted.
#pragma once

#include <string_view>

namespace stator::partiql {

// The keyword in lower case, whatever the case of `word`; empty if it is none.
std::string_view find_keyword(std::string_view word);

// Whether the keyword, in lower case, names a function if a parenthesis follows.
bool is_function_keyword(std::string_view keyword);

}  // namespace stator::partiql
