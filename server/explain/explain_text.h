// The content of /_stator/requests as lines for a terminal, escaped so that they cannot move its
// cursor.
#pragma once

#include <string>
#include <string_view>

#include "protocol/json/json_tree.h"

namespace stator {

// The text of a member, escaped in the same way; empty without the member.
std::string text_in(const JsonNode& object, std::string_view name);
// One request of a list in one line: when, status, operation, table and error.
std::string request_line(const JsonNode& request);
// Lists requests, oldest first; empty for an empty list. The last line has no newline.
// `is_oldest_first`: so does `told`.
std::string requests_text(const JsonNode& told, bool is_oldest_first = false);
// Shows a value of the header x-stator-explain below `title`.
std::string explanation_text(std::string_view title, const JsonNode& told);
// Shows everything that is known about one request.
std::string request_text(const JsonNode& told);

}  // namespace stator
