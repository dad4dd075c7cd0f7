// What /_stator/requests tells, as lines for a terminal: nothing in them can move its cursor.
#pragma once

#include <string>

#include "protocol/json_tree.h"

namespace stator {

// Of a list of requests, oldest first: those that failed or that there is a hint at, or all of
// them. Lines have no last newline.
std::string requests_text(const JsonNode& told, bool wants_all);
// Of one request, with all that is known of it.
std::string request_text(const JsonNode& told);

}  // namespace stator
