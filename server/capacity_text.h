// What /_stator/capacity tells, as lines for a terminal.
#pragma once

#include <string>

#include "protocol/json_tree.h"

namespace stator {

// `told`: the answer's object. With partitions and hottest keys when `is_whole`. Lines have no last
// newline.
std::string capacity_text(const JsonNode& told, bool is_whole);

}  // namespace stator
