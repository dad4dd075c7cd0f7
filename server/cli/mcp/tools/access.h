// Which requests only read, so that a server without writes lets them pass.
#pragma once

#include <string_view>

#include "protocol/json/json_tree.h"

namespace stator::mcp {

// Whether the statement is a SELECT. False for a text that begins with a comment.
bool is_reading_statement(std::string_view statement);

// Whether the request of the operation changes nothing. False if that is unknown: for an operation
// of a later service, or a batch of statements of which one may write.
bool is_reading_call(std::string_view operation, const JsonNode& request);

}  // namespace stator::mcp
