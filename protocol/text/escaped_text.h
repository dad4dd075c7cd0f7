// Escapes text from requests for lines that people read, so that it cannot end a line or change the
// writing direction of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// Returns valid UTF-8 without control and direction characters: those become \n, \t or \u202e and
// the like. Invalid bytes become question marks.
std::string escaped_text(std::string_view text);

// As escaped_text(), with a backslash before quotes and backslashes.
std::string escaped_in_quotes(std::string_view text);

}  // namespace stator
