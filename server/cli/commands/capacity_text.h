// The content of /_stator/capacity as lines for a terminal.
#pragma once

#include <string>

#include "protocol/json/json_tree.h"

namespace stator {

// `told` is the response's object. With `is_whole` also partitions and hottest keys. The last line
// has no newline.
std::string capacity_text(const JsonNode& told, bool is_whole);

}  // namespace stator
