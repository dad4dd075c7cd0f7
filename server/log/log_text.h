// Escapes text from requests for the log, so that it cannot end a line, forge a field or change the
// writing direction of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace stator::log {

// Returns valid UTF-8 without control and direction characters: those become \n, \t or \u202e and
// the like. Invalid bytes become question marks.
std::string escaped(std::string_view text);

// A field's value in a log line: unchanged if it is a plain word, else in quotes and escaped, with
// backslashes before quotes and backslashes. "-" if empty. Cut above `bytes_max`, with an ellipsis.
std::string field_value(std::string_view text, std::size_t bytes_max);

}  // namespace stator::log
