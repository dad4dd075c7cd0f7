// Escapes text from requests for the log, so that it cannot end a line or forge a field.
#pragma once

#include <string>
#include <string_view>

namespace stator::log {

// escaped_text() of protocol/text/escaped_text.h.
std::string escaped(std::string_view text);

// A field's value in a log line: unchanged if it is a plain word, else in quotes and escaped, with
// backslashes before quotes and backslashes. "-" if empty. Cut above `bytes_max`, with an ellipsis.
std::string field_value(std::string_view text, std::size_t bytes_max);

}  // namespace stator::log
