// Text of requests as it may stand in a log line: nothing in it can end a line, forge a field or
// turn the writing direction of a terminal around.
#pragma once

#include <string>
#include <string_view>

namespace stator::log {

// Valid UTF-8 without control and direction characters: those become \n, \t or \u202e and the like,
// bytes that are no UTF-8 become a question mark.
std::string escaped(std::string_view text);

// A field's value in a line of text: as it is when it is one plain word, otherwise escaped and in
// quotes, with quotes and backslashes inside marked by a backslash. "-" for an empty one. Cut where
// it is longer than `bytes_max`, and an ellipsis says so.
std::string field_value(std::string_view text, std::size_t bytes_max);

}  // namespace stator::log
