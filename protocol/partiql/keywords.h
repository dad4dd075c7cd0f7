// The words that are no identifiers unless they are quoted.
#pragma once

#include <string_view>

namespace stator::partiql {

// The keyword in lower case, whatever case `word` is in; empty: it is none.
std::string_view find_keyword(std::string_view word);

// Whether the keyword, given in lower case, names a function where a parenthesis follows.
bool is_function_keyword(std::string_view keyword);

}  // namespace stator::partiql
